// `redrive`: retries groups that stopped at an event that a destination rejected, or skips that event.
import { Command, InvalidArgumentError } from 'commander';
import { listBehind } from '../../functions/adapters/dynamodb-behind.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import {
  DESTINATION_NAMES,
  type DestinationName,
  markOf,
  withheldFrom,
} from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { GroupKey, LogFields } from '../../shared/ports.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { type Redriven, redrive } from '../../shared/publishing/redrive.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { parseCount } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { nameDestination } from '../operating/name-destination.ts';
import { openDestinationOf } from '../operating/open-destinations.ts';
import { type OpenFeed, withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { withRingQueue } from '../operating/open-webhook.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { ringGroup } from '../operating/ring-group.ts';

interface RedriveFlags extends PlaceFlags {
  readonly to?: string;
  readonly skip?: number;
}

/** Per group: enough for more than ten thousand events. */
const GROUP_MS = 60_000;
/** Exit code, as in `status`: the command worked, but a group needs attention. */
const STILL_BEHIND = 3;

const HELP = `
A group stops and is recorded as behind when a destination rejects the content of its next event, or
when that event can't be decoded. Without a group argument, redrive retries all recorded groups. It
runs the relay's code: it sends all unsent events, in order.
With --skip the group continues without the event of that number, if it is still stuck at that event.
The destination never gets the event, so the feed publishes feed.events_skipped on the bus.
With the id of a webhook, redrive rings for the groups whose next event fails: the webhook's sender
tries them without their pause, in order. While the endpoint fails as a whole, the sender keeps to its
schedule all the same. Without --to only the ordered subscribers and the bus are retried:
the senders of webhooks retry by themselves, for as long as the ledger keeps the event.
Examples:
  returns-feed redrive --stack ReturnsFeed
  returns-feed redrive acme 184467 --to ordered --skip 5 --stack ReturnsFeed
  returns-feed redrive acme --to Wms --stack ReturnsFeed
Exit code: 0 all events are sent, 3 a group is still behind, 1 the command failed, 2 invalid usage.`;

export function createRedriveCommand(): Command {
  const command = new Command('redrive')
    .description('Retry groups that are behind, or skip an event that a destination rejects.')
    .argument('[source]', 'only groups of this source')
    .argument('[group]', 'only this return group, even if it is not recorded as behind', parseGroup)
    .option(
      '--to <destination>',
      `only this destination: ${DESTINATION_NAMES.join(', ')} (default: both), or the id of a webhook`,
    )
    .option('--skip <number>', 'continue without the event of this number', parseCount);
  return addPlaceOptions(command).addHelpText('after', HELP).action(redriveGroups);
}

function parseGroup(text: string): GroupKey['group'] {
  if (text === FEED_GROUP) return FEED_GROUP;
  try {
    return parseCount(text);
  } catch {
    throw new InvalidArgumentError(`Give the id of a return group, or ${FEED_GROUP}.`);
  }
}

async function redriveGroups(
  source: string | undefined,
  group: GroupKey['group'] | undefined,
  { to, skip, ...place }: RedriveFlags,
): Promise<void> {
  if (skip !== undefined && group === undefined)
    throw new UsageError('--skip needs a group: returns-feed redrive SOURCE GROUP --skip NUMBER.');
  await withFeed(place, async (feed) => {
    if (feed.isLocal)
      throw new UsageError(
        'redrive needs a deployment. With --data, each start of "watch" delivers all undelivered events.',
      );
    const named = to === undefined ? undefined : await nameDestination(feed.deployment, to);
    let tried = 0;
    if (named !== undefined && 'webhook' in named)
      tried = await ringWebhook(
        feed,
        named.webhook,
        await findKeys(feed, named.webhook.id, source, group),
        skip,
      );
    else
      for (const name of named === undefined ? DESTINATION_NAMES : [named.destination])
        tried += await redriveTo(feed, name, await findKeys(feed, markOf(name), source, group), skip);
    if (tried === 0) await createPrinter(process.stdout).line('nothing is behind');
  });
}

async function findKeys(
  feed: OpenFeed,
  mark: string,
  source: string | undefined,
  group: GroupKey['group'] | undefined,
): Promise<GroupKey[]> {
  if (source !== undefined) {
    const { generation } = await feed.stateOf(source);
    if (group !== undefined) return [{ source, generation, group }];
  }
  const keys: GroupKey[] = [];
  for await (const { key } of listBehind(feed.client, feed.marksTable, mark, source)) keys.push(key);
  return keys;
}

/** @returns the number of groups */
async function ringWebhook(
  feed: OpenFeed,
  webhook: WebhookRecord,
  keys: readonly GroupKey[],
  skip: number | undefined,
): Promise<number> {
  if (keys.some(({ group }) => group === FEED_GROUP))
    throw new UsageError('A webhook gets no events of the feed itself: name a return group.');
  const out = createPrinter(process.stdout);
  await withRingQueue(webhook, async (queue) => {
    for (const key of keys) {
      const { skipped, refusal } = await ringGroup(feed, queue, webhook.id, key, skip);
      const done = `${skipped === undefined ? '' : `skipped ${skipped}; `}its sender tries again`;
      await out.line(printable(`${webhook.id}: ${key.source} ${key.group}: ${refusal ?? done}`));
      if (refusal !== undefined) process.exitCode = STILL_BEHIND;
    }
  });
  return keys.length;
}

/** @returns the number of groups that were tried */
async function redriveTo(
  feed: OpenFeed,
  name: DestinationName,
  keys: readonly GroupKey[],
  skip: number | undefined,
): Promise<number> {
  if (keys.length === 0) return 0;
  const destination = openDestinationOf(feed.deployment, name);
  let cause: string | undefined;
  // The printed outcome of a group lacks only one thing that the relay logs: the error.
  const note = (_: string, { error }: LogFields = {}) => {
    if (error instanceof Error) cause = error.message;
  };
  const ports: RelayPorts = {
    ...feed,
    destination,
    log: { ...feed.log, warn: note, error: note },
    random: Math.random,
    withholds: withheldFrom(name),
  };
  const relay = createRelay(ports);
  const out = createPrinter(process.stdout);
  try {
    for (const key of keys) {
      cause = undefined;
      const redriven = await redrive(
        ports,
        relay,
        key,
        GROUP_MS,
        skip === undefined ? {} : { stepOver: skip },
      );
      await out.line(printable(`${name}: ${key.source} ${key.group}: ${describeOutcome(redriven, cause)}`));
      if (redriven.outcome.state !== 'done') process.exitCode = STILL_BEHIND;
    }
  } finally {
    destination.close();
  }
  return keys.length;
}

function describeOutcome({ outcome, steppedOver }: Redriven, cause: string | undefined): string {
  const { from, to } = steppedOver ?? {};
  const skipped = steppedOver === undefined ? '' : `skipped ${from === to ? from : `${from} to ${to}`}; `;
  if (outcome.state === 'done') return `${skipped}all events are sent`;
  if (outcome.state === 'failed')
    return `${skipped}failed: ${outcome.reason}${cause === undefined ? '' : `: ${cause}`}`;
  if (outcome.state === 'behind') return `${skipped}still behind at ${outcome.sequence}: ${outcome.reason}`;
  const { from: first, to: last } = outcome.missing;
  const missing = first === last ? `${first} is` : `${first} to ${last} are`;
  return `${skipped}stopped: ${missing} missing from the ledger`;
}
