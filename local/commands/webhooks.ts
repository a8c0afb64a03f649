// `webhooks`: lists the webhooks of a deployment, pauses and resumes one; its secret and its test have files of their
// own.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import { NEEDS_ATTENTION } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { addMomentsOption, type Moments, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { createPrinter } from '../cli/print.ts';
import { partOf } from '../operating/find-deployment.ts';
import { formatWebhook } from '../operating/format-webhooks.ts';
import { listWebhookStates } from '../operating/list-webhook-states.ts';
import { withDeployment } from '../operating/open-deployment.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { withWebhook } from '../operating/open-webhook.ts';
import { setPaused } from '../operating/pause-webhook.ts';
import { createWebhookCommand, WEBHOOKS_STACK } from '../operating/place-options.ts';
import type { WebhookStatus } from '../operating/webhook-status.ts';
import { createRotateCommand, createSecretCommand } from './webhooks-secrets.ts';
import { createTestCommand } from './webhooks-test.ts';

type StackFlags = Pick<PlaceFlags, 'stack'>;

const ABOUT_LIST = `
Each webhook begins with its state: failing (five or more attempts in a row failed, and no event was
accepted for a minute), paused (by "webhooks pause"), delayed (the endpoint answered 429 or 503 and
gets no events until the shown time), working, or new (nothing was posted yet). The worst come first.
"waiting" counts the messages in its queue, each for a return that may have unsent events. Only the
host of the URL is shown.
Examples:
  returns-feed webhooks list --stack ReturnsFeed
  returns-feed webhooks list --stack ReturnsFeed --json
Exit code: 0 none is failing or paused, 3 one is, 1 the command failed, 2 invalid usage.`;

const ABOUT_PAUSE = `
Within a minute the sender stops posting, until "webhooks resume". Its events stay in the ledger for
30 days and are sent in order after that. Attempts under way are finished.
Example:
  returns-feed webhooks pause Wms --stack ReturnsFeed`;

const ABOUT_RESUME = `
The sender continues within about a minute, with each return's first event that was not accepted.
This also ends a pause that the endpoint asked for (delayed). Returns that were put off until the end
of that pause are still tried only at that time.
Example:
  returns-feed webhooks resume Wms --stack ReturnsFeed`;

const HELP = `
Examples:
  returns-feed webhooks list --stack ReturnsFeed
  returns-feed help webhooks rotate`;

export function createWebhooksCommand(): Command {
  return new Command('webhooks')
    .description('List webhooks, test, pause and resume one, show and rotate its signing secret.')
    .addCommand(createListCommand())
    .addCommand(createTestCommand())
    .addCommand(createSecretCommand())
    .addCommand(createRotateCommand())
    .addCommand(createPauseCommand())
    .addCommand(createResumeCommand())
    .addHelpText('after', HELP);
}

function createListCommand(): Command {
  const command = new Command('list')
    .description('Show the state of each webhook, the worst first.')
    .option('--stack <name>', WEBHOOKS_STACK);
  return addMomentsOption(command)
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', ABOUT_LIST)
    .action(list);
}

async function list({
  json,
  ...flags
}: StackFlags & MomentsFlags & { readonly json: boolean }): Promise<void> {
  await withDeployment(flags, async (feed) => {
    partOf(feed.deployment, 'webhooksPath');
    const now = Date.now();
    const webhooks = await listWebhookStates(feed, now * MILLISECOND);
    const out = createPrinter(process.stdout);
    if (json) await out.line(JSON.stringify({ webhooks }, null, 2));
    else if (webhooks.length === 0) await out.line('no webhook');
    else await out.line(format(webhooks, momentsOf(flags)));
    if (webhooks.some(({ needsAttention }) => needsAttention)) process.exitCode = NEEDS_ATTENTION;
  });
}

function format(webhooks: readonly WebhookStatus[], moments: Moments): string {
  const layout = layoutOf(process.stdout);
  const texts = webhooks.map((webhook) => formatWebhook(webhook, moments, layout).join('\n'));
  return [...texts, `times in ${moments.zone}`].join('\n\n');
}

function createPauseCommand(): Command {
  const about = 'Stop posting to a webhook. Nothing is lost for 30 days.';
  return createWebhookCommand('pause', about, ABOUT_PAUSE).action((id: string, flags: StackFlags) =>
    changePause(id, flags, true),
  );
}

function createResumeCommand(): Command {
  const about = 'Post to a paused or delayed webhook again.';
  return createWebhookCommand('resume', about, ABOUT_RESUME).action((id: string, flags: StackFlags) =>
    changePause(id, flags, false),
  );
}

async function changePause(id: string, flags: StackFlags, isPaused: boolean): Promise<void> {
  await withWebhook(flags, id, async (webhook, { endpoints, clock }) => {
    const ports = { webhook: webhook.id, endpoints, clock };
    const isChanged = await setPaused(ports, isPaused);
    const state = isPaused ? 'paused' : 'resumed';
    const text = isChanged
      ? `${state}: ${id}`
      : `${id} is ${isPaused ? 'already' : 'not'} paused: nothing changed`;
    await createPrinter(process.stdout).line(text);
  });
}
