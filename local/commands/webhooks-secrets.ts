// `webhooks secret` and `webhooks rotate`: the secret that signs a webhook's events. The sender signs with
// the current version and with the previous one, so a rotation gives the receiver until the next one to change over.

import { randomInt } from 'node:crypto';
import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { Command } from 'commander';
import { parseSigningSecret, SigningSecretError } from '../../functions/adapters/webhook-signature.ts';
import { UsageError } from '../cli/failures.ts';
import { createWebhookCommand, parseDirectory, WEBHOOKS_STACK } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { readForwardSecret } from '../feed/forward-secret.ts';
import { withSecrets, withWebhook } from '../operating/open-webhook.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

const ABOUT_SECRET = `
Prints the secret on stdout and nothing else there. Give it to the receiver over a channel that keeps
it secret. With --data it is the secret with which "watch --forward-to" signs, unless it is given
another one.
Examples:
  returns-feed webhooks secret Wms --stack ReturnsFeed
  returns-feed webhooks secret --data state`;

const ABOUT_ROTATE = `
Writes a new secret and prints it. The new and the previous secret both sign each event as soon as the
sender has read its secrets again (every five minutes, and after an answer 401), until the next
rotation: change the receiver's secret before that. The command rejects a second rotation within 24
hours, unless the secret is invalid.
Example:
  returns-feed webhooks rotate Wms --stack ReturnsFeed`;

export function createSecretCommand(): Command {
  return new Command('secret')
    .description("Print a webhook's signing secret, or that of the URLs that a data directory forwards to.")
    .argument('[webhook]', 'the id of the webhook')
    .option('--data <dir>', 'data directory of "watch --data --forward-to"', parseDirectory)
    .option('--stack <name>', WEBHOOKS_STACK)
    .addHelpText('after', ABOUT_SECRET)
    .action(async (id: string | undefined, { data, ...flags }: PlaceFlags) => {
      const secret = await (data === undefined ? readOfWebhook(id, flags) : readForwardSecret(data));
      await createPrinter(process.stdout).line(secret);
    });
}

function readOfWebhook(id: string | undefined, flags: Pick<PlaceFlags, 'stack'>): Promise<string> {
  if (id === undefined) throw new UsageError('Name the webhook, or a data directory with --data DIR.');
  return withWebhook(flags, id, ({ signingSecret }) =>
    withSecrets((client) => readSigningSecret(client, signingSecret)),
  );
}

export function createRotateCommand(): Command {
  const command = createWebhookCommand('rotate', "Replace a webhook's signing secret.", ABOUT_ROTATE);
  return command.action((id: string, flags: Pick<PlaceFlags, 'stack'>) =>
    withWebhook(flags, id, async ({ signingSecret }) => {
      const now = Date.now();
      const secret = await withSecrets((client) => rotateSigningSecret(client, signingSecret, now));
      await createPrinter(process.stdout).line(secret);
      await createPrinter(process.stderr).line(
        `rotated: give this secret to the receiver. Within five minutes it and the previous one both sign the events ` +
          `of ${id}. The previous one stops at the next rotation.`,
      );
    }),
  );
}

const PREFIX = 'whsec_';
/** As the stack generates it: letters and digits, which are base64 of 48 bytes. */
const LENGTH = 64;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** A second rotation takes the first version out of force: its receiver needs this long to change over. */
const PAUSE_MS = 24 * 3_600_000;

/** Returns the secret that signs now, with its prefix. @throws Error if it can't sign */
export async function readSigningSecret(client: SecretsManager, SecretId: string): Promise<string> {
  const { SecretString = '' } = await client.getSecretValue({ SecretId });
  parseSigningSecret(SecretString);
  const text = SecretString.trim();
  return text.startsWith(PREFIX) ? text : `${PREFIX}${text}`;
}

/**
 * Replaces the secret.
 *
 * @param now milliseconds since 1970
 * @returns the new secret with its prefix
 * @throws Error within 24 hours of the last rotation if the current secret can sign; nothing is changed then
 */
async function rotateSigningSecret(client: SecretsManager, SecretId: string, now: number): Promise<string> {
  const rotatedAt = await lastRotation(client, SecretId);
  const isEarly = rotatedAt !== undefined && now - rotatedAt < PAUSE_MS;
  if (isEarly && (await canSign(client, SecretId))) throw tooEarly(rotatedAt);
  const SecretString = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  // Without stages named, the new version becomes AWSCURRENT, and the version that was current becomes AWSPREVIOUS.
  await client.putSecretValue({ SecretId, SecretString });
  return `${PREFIX}${SecretString}`;
}

/** A secret that can't sign is in no receiver's use: nothing is sent until it is replaced. */
async function canSign(client: SecretsManager, SecretId: string): Promise<boolean> {
  try {
    await readSigningSecret(client, SecretId);
    return true;
  } catch (error) {
    if (error instanceof SigningSecretError) return false;
    throw error;
  }
}

/**
 * When the current version replaced another; undefined if it is the first.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_SecretVersionsListEntry.html
 */
async function lastRotation(client: SecretsManager, SecretId: string): Promise<number | undefined> {
  let createdAt: number | undefined;
  let hasPrevious = false;
  for await (const { Versions = [] } of client.paginateListSecretVersionIds({ SecretId })) {
    for (const { VersionStages = [], CreatedDate } of Versions) {
      if (VersionStages.includes('AWSCURRENT')) createdAt = CreatedDate?.getTime();
      hasPrevious ||= VersionStages.includes('AWSPREVIOUS');
    }
  }
  return hasPrevious ? createdAt : undefined;
}

function tooEarly(rotatedAt: number): Error {
  const moment = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
  return new Error(
    `The secret was rotated at ${moment(rotatedAt)}: a second rotation within 24 hours would end the secret that ` +
      `the receiver may still use. Rotate again after ${moment(rotatedAt + PAUSE_MS)}; if the secret leaked, pause the ` +
      'webhook until then.',
  );
}
