// `webhooks secret` and `webhooks rotate`: the secret that signs a webhook's events.
import { Command } from 'commander';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { readForwardSecret } from '../feed/forward-secret.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { withSecrets, withWebhook } from '../operating/open-webhook.ts';
import { createWebhookCommand, parseDirectory, WEBHOOKS_STACK } from '../operating/place-options.ts';
import { readSigningSecret, rotateSigningSecret } from '../operating/signing-secret.ts';

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
