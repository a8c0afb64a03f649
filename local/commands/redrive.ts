// `redrive`: groups that stopped at an event which a destination refused are tried again, or go on without it.
import { Command, InvalidArgumentError, Option } from 'commander';
import { listBehind } from '../../functions/adapters/dynamodb-behind.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import type { GroupKey, LogFields } from '../../shared/ports.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { type Redriven, redrive } from '../../shared/publishing/redrive.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { parseCount } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { DESTINATION_NAMES, type DestinationName, openDestination } from '../operating/open-destinations.ts';
import { type OpenFeed, withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { addPlaceOptions } from '../operating/place-options.ts';

interface RedriveFlags extends PlaceFlags {
  readonly to?: DestinationName;
  readonly skip?: number;
}

/** Of one group: more than ten thousand events. */
const GROUP_MS = 60_000;
/** As in `status`: nothing went wrong here, but something needs a look. */
const STILL_BEHIND = 3;

const WHAT_IT_DOES = `
A group whose next event a destination refuses for its content, or that can't be decoded, stops
there and is noted as behind. Without a group all that are noted are tried again, with what they
have unsent, by the relay's own code: nothing is left out, nothing overtakes.
With --skip the group goes on without the event of that number, if it still is stuck at it; that
is told on the bus, as feed.events_skipped, for the destination never gets it.
Exit code: 0 all of it is sent, 3 a group is still behind, 1 and 2 as elsewhere.`;

export function createRedriveCommand(): Command {
  const command = new Command('redrive')
    .description('Try groups again that are behind, or step over an event that is refused.')
    .argument('[source]', 'groups of this source alone')
    .argument('[group]', 'this return group alone, also if it is not noted as behind', parseGroup)
    .addOption(new Option('--to <destination>', 'this destination alone').choices(DESTINATION_NAMES))
    .option('--skip <number>', 'go on without the event of this number', parseCount);
  return addPlaceOptions(command).addHelpText('after', WHAT_IT_DOES).action(redriveGroups);
}

function parseGroup(text: string): GroupKey['group'] {
  if (text === FEED_GROUP) return FEED_GROUP;
  try {
    return parseCount(text);
  } catch {
    throw new InvalidArgumentError(`Write the id of a return group, or ${FEED_GROUP}.`);
  }
}

async function redriveGroups(
  source: string | undefined,
  group: GroupKey['group'] | undefined,
  { to, skip, ...place }: RedriveFlags,
): Promise<void> {
  if (skip !== undefined && group === undefined)
    throw new UsageError('Say of which group: returns-feed redrive SOURCE GROUP --skip NUMBER.');
  await withFeed(place, async (feed) => {
    if (feed.isLocal)
      throw new UsageError(
        'Here nothing is to be redriven: each start of "watch --data" hands over all that was not handed over.',
      );
    let tried = 0;
    for (const name of to === undefined ? DESTINATION_NAMES : [to])
      tried += await redriveTo(feed, name, await findKeys(feed, name, source, group), skip);
    if (tried === 0) await createPrinter(process.stdout).line('nothing is behind');
  });
}

async function findKeys(
  feed: OpenFeed,
  destination: DestinationName,
  source: string | undefined,
  group: GroupKey['group'] | undefined,
): Promise<GroupKey[]> {
  if (source !== undefined) {
    const { generation } = await feed.stateOf(source);
    if (group !== undefined) return [{ source, generation, group }];
  }
  const keys: GroupKey[] = [];
  for await (const behind of listBehind(feed.client, feed.marksTable)) {
    const isAsked = source === undefined || behind.key.source === source;
    if (isAsked && behind.destination === destination) keys.push(behind.key);
  }
  return keys;
}

/** @returns how many groups were tried */
async function redriveTo(
  feed: OpenFeed,
  name: DestinationName,
  keys: readonly GroupKey[],
  skip: number | undefined,
): Promise<number> {
  if (keys.length === 0) return 0;
  const destination = openDestination(feed.deployment, name);
  let cause: string | undefined;
  // The outcome of each group is printed; of what the relay logs it lacks the error alone.
  const note = (_: string, { error }: LogFields = {}) => {
    if (error instanceof Error) cause = error.message;
  };
  const ports: RelayPorts = {
    ...feed,
    destination,
    log: { ...feed.log, warn: note, error: note },
    random: Math.random,
    withholds: ({ group }) => name === 'queue' && group === FEED_GROUP,
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
      await out.line(printable(`${name}: ${key.source} ${key.group}: ${tell(redriven, cause)}`));
      if (redriven.outcome.state !== 'done') process.exitCode = STILL_BEHIND;
    }
  } finally {
    destination.close();
  }
  return keys.length;
}

function tell({ outcome, steppedOver }: Redriven, cause: string | undefined): string {
  const { from, to } = steppedOver ?? {};
  const skipped =
    steppedOver === undefined ? '' : `went on without ${from === to ? from : `${from} to ${to}`}; `;
  if (outcome.state === 'done') return `${skipped}all of it is sent`;
  if (outcome.state === 'failed')
    return `${skipped}failed: ${outcome.reason}${cause === undefined ? '' : `: ${cause}`}`;
  if (outcome.state === 'behind') return `${skipped}still behind at ${outcome.sequence}: ${outcome.reason}`;
  const { from: first, to: last } = outcome.missing;
  const missing = first === last ? `${first} is` : `${first} to ${last} are`;
  return `${skipped}stopped: ${missing} missing from the ledger`;
}
