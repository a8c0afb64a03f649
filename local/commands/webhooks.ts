// `webhooks`: lists the webhooks of a deployment, pauses and resumes one, removes a URL that `watch` forwarded
// to. The secret, the test and the check of a receiver have files of their own.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { addMomentsOption, type Moments, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { createWebhookCommand, parseDirectory, WEBHOOKS_STACK } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { withWebhook } from '../operating/open-webhook.ts';
import { setPaused } from '../operating/pause-webhook.ts';
import { partOf } from '../place/find-deployment.ts';
import { listWebhooks } from '../place/named-destinations.ts';
import { openKnownStore } from '../place/open-directory.ts';
import type { OpenFeed, PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { openDeploymentParts } from '../status/deployment-parts.ts';
import { type DestinationStatus, describeDestinations } from '../status/destination-status.ts';
import { formatWebhook } from '../status/format-status.ts';
import {
  loadDeployedWebhooks,
  loadOverview,
  type OverviewFeed,
  type OverviewWebhook,
} from '../status/load-overview.ts';
import type { ForwardedUrl } from '../store/documents.ts';
import type { LocalStore } from '../store/open-store.ts';
import { watchHolder } from '../store/watch-lock.ts';
import { createCheckCommand } from './webhooks-check.ts';
import { createRotateCommand, createSecretCommand } from './webhooks-secrets.ts';
import { createTestCommand } from './webhooks-test.ts';

type StackFlags = Pick<PlaceFlags, 'stack'>;

const ABOUT_LIST = `
Each webhook with its state, as "status" has it, and what it gets; the worst come first. Failing: five
or more attempts in a row failed, and no event was accepted for a minute. Behind: returns whose next
event is not accepted for a minute. Delayed: the endpoint answered 429 or 503, and gets no events until
the shown time. Dropped: a URL that the last "watch" was started without, while it lacked events. Of
the URL only the host is shown. With --data it lists the URLs that "watch" forwards to.
Examples:
  returns-feed webhooks list --stack ReturnsFeed
  returns-feed webhooks list --data state
  returns-feed webhooks list --stack ReturnsFeed --json
Exit code: 0 none is failing, behind, paused or dropped, 3 one is, 1 the command failed, 2 invalid usage.`;

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

const ABOUT_REMOVE = `
For a URL that "watch" does not forward to any more. The events that it lacks are not sent to it, and
"status" no longer names it. If a later "watch" forwards to it again, it begins with the events from
then on. The webhooks of a deployment are removed in its app.
Examples:
  returns-feed webhooks remove http://127.0.0.1:3000/hook --data state
  returns-feed webhooks remove forward-2f1c7a9be0d34c55 --data state --yes`;

const HELP = `
Examples:
  returns-feed webhooks list --stack ReturnsFeed
  returns-feed help webhooks rotate`;

export function createWebhooksCommand(): Command {
  return new Command('webhooks')
    .description(
      'List webhooks, check receivers, test, pause, resume and remove one, show and rotate its signing secret.',
    )
    .addCommand(createListCommand())
    .addCommand(createCheckCommand())
    .addCommand(createTestCommand())
    .addCommand(createSecretCommand())
    .addCommand(createRotateCommand())
    .addCommand(createPauseCommand())
    .addCommand(createResumeCommand())
    .addCommand(createRemoveCommand())
    .addHelpText('after', HELP);
}

function createListCommand(): Command {
  const command = new Command('list')
    .description('Show the state of each webhook, or of each URL that "watch" forwards to, the worst first.')
    .option('--data <dir>', 'data directory of "watch --data --forward-to"', parseDirectory)
    .option('--stack <name>', WEBHOOKS_STACK);
  return addMomentsOption(command)
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', ABOUT_LIST)
    .action(list);
}

async function list({
  json,
  ...flags
}: PlaceFlags & MomentsFlags & { readonly json: boolean }): Promise<void> {
  await withFeed(
    flags,
    async (feed) => {
      if (feed.deployment !== undefined) partOf(feed.deployment, 'webhooksPath');
      const webhooks = await statesOf(feed);
      const out = createPrinter(process.stdout);
      if (json) await out.line(JSON.stringify({ webhooks }, null, 2));
      else if (webhooks.length === 0) await out.line('no webhook');
      else await out.line(format(webhooks, momentsOf(flags)));
      if (webhooks.some(({ needsAttention }) => needsAttention)) process.exitCode = NEEDS_ATTENTION;
    },
    'to read',
  );
}

async function statesOf(feed: OpenFeed): Promise<readonly DestinationStatus[]> {
  const now = Date.now();
  const parts = openDeploymentParts(feed, { now: Date.now, withAges: false });
  const whole = { ...feed, ...parts };
  const webhooks =
    feed.deployment === undefined
      ? await loadForwarded(whole, now)
      : await loadDeployedWebhooks(
          { feed: whole, asked: undefined, attempt: (_, load) => load() },
          await listWebhooks(feed.deployment),
        );
  const others = { relays: [], readers: [], subscribers: { subscribers: [], problems: [], askedAtMs: now } };
  return describeDestinations({ ...others, webhooks }, now * MILLISECOND);
}

async function loadForwarded(feed: OverviewFeed, now: number): Promise<readonly OverviewWebhook[]> {
  const { webhooks, problems } = await loadOverview(feed, now);
  if (problems.length > 0) throw new Error(problems.join(' '));
  return webhooks;
}

function format(webhooks: readonly DestinationStatus[], moments: Moments): string {
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

function createRemoveCommand(): Command {
  return new Command('remove')
    .description('Forget a URL that "watch" forwarded to, with the events that it lacks.')
    .argument('<webhook>', 'its id, or its address as "status" shows it')
    .requiredOption('--data <dir>', 'data directory of "watch --data"', parseDirectory)
    .addOption(yesOption('remove without asking'))
    .addHelpText('after', ABOUT_REMOVE)
    .action(remove);
}

async function remove(
  named: string,
  { data, yes }: { readonly data: string; readonly yes: boolean },
): Promise<void> {
  const store = await openKnownStore(data);
  try {
    const url = await findForwarded(store, named, data);
    if (!yes) await confirm(`Remove ${url.address}? The events that it lacks are never sent to it.`);
    await removeForwarded(store, url);
    await createPrinter(process.stdout).line(`removed: ${url.address}`);
  } finally {
    await store.close();
  }
}

/**
 * @param named the id, or the address as `status` shows it
 * @throws UsageError that lists the known ones; for a URL that a running `watch` forwards to
 */
async function findForwarded(
  { forwards }: Pick<LocalStore, 'forwards'>,
  named: string,
  dataDir: string,
): Promise<ForwardedUrl> {
  const all = await forwards.list();
  const [url, other] = all.filter(({ id, address }) => id === named || address === named);
  const known = all.map(({ id, address }) => `${id} (${address})`).join(', ');
  if (url === undefined)
    throw new UsageError(
      `There is no webhook "${named}"; ${known === '' ? 'there is none' : `there are ${known}`}.`,
    );
  if (other !== undefined) throw new UsageError(`Several webhooks have this address: name one of ${known}.`);
  const holder = url.isDropped ? undefined : await watchHolder(dataDir);
  if (holder === undefined) return url;
  throw new UsageError(
    `"watch"${holder.pid === undefined ? '' : ` (process ${holder.pid})`} forwards to ${url.address}: end it, and start ` +
      'it without this URL.',
  );
}

async function removeForwarded(
  { forwards, removeDestination }: Pick<LocalStore, 'forwards' | 'removeDestination'>,
  { id }: ForwardedUrl,
): Promise<void> {
  await forwards.replace((await forwards.list()).filter((each) => each.id !== id));
  await removeDestination(id);
}
