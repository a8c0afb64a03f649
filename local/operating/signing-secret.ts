// A webhook's signing secret: shown, and replaced. The sender signs with the current version and with the previous one,
// so a rotation gives the receiver until the next one to change over.
import { randomInt } from 'node:crypto';
import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { parseSigningSecret, SigningSecretError } from '../../functions/adapters/webhook-signature.ts';

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
export async function rotateSigningSecret(
  client: SecretsManager,
  SecretId: string,
  now: number,
): Promise<string> {
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
