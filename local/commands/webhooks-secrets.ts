// `webhooks secret` and `webhooks rotate`: the secret that signs a webhook's events.
import type { Command } from 'commander';
import { createPrinter } from '../cli/print.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { withSecrets, withWebhook } from '../operating/open-webhook.ts';
import { createWebhookCommand } from '../operating/place-options.ts';
import { readSigningSecret, rotateSigningSecret } from '../operating/signing-secret.ts';

type StackFlags = Pick<PlaceFlags, 'stack'>;

const ABOUT_SECRET = `
Prints the secret on stdout and nothing else there. Give it to the receiver over a channel that keeps
it secret.
Example:
  returns-feed webhooks secret Wms --stack ReturnsFeed`;

const ABOUT_ROTATE = `
Writes a new secret and prints it. The new and the previous secret both sign each event as soon as the
sender has read its secrets again (every five minutes, and after an answer 401), until the next
rotation: change the receiver's secret before that. The command rejects a second rotation within 24
hours, unless the secret is invalid.
Example:
  returns-feed webhooks rotate Wms --stack ReturnsFeed`;

export function createSecretCommand(): Command {
  const command = createWebhookCommand('secret', "Print a webhook's signing secret.", ABOUT_SECRET);
  return command.action((id: string, flags: StackFlags) =>
    withWebhook(flags, id, async ({ signingSecret }) => {
      const secret = await withSecrets((client) => readSigningSecret(client, signingSecret));
      await createPrinter(process.stdout).line(secret);
    }),
  );
}

export function createRotateCommand(): Command {
  const command = createWebhookCommand('rotate', "Replace a webhook's signing secret.", ABOUT_ROTATE);
  return command.action((id: string, flags: StackFlags) =>
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
