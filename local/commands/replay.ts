// `replay`: events that the ledger still holds are sent once more, marked as a replay.
import { Command, InvalidArgumentError, Option } from 'commander';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { type Instant, MILLISECOND, parseStamp } from '../../shared/instant.ts';
import type { Destination, GroupKey } from '../../shared/ports.ts';
import { planReplay, type ReplayPlan, replay } from '../../shared/publishing/replay.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { confirm } from '../cli/confirm.ts';
import { formatDuration, parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { HANDED_OVER } from '../feed/handed-over.ts';
import { DESTINATION_NAMES, type DestinationName, openDestination } from '../operating/open-destinations.ts';
import { type OpenFeed, withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { addPlaceOptions } from '../operating/place-options.ts';

interface ReplayFlags extends PlaceFlags {
  readonly group?: number;
  readonly from?: Instant;
  readonly until?: Instant;
  readonly to?: DestinationName;
  readonly rate: number;
  readonly replayId?: string;
  readonly yes: boolean;
}

/** More than these have to be asked for twice. */
const MANY = 1_000;
/** As in `status`: nothing went wrong here, but something needs a look. */
const NOT_ALL_SENT = 3;

const WHAT_IT_DOES = `
Events go out as they were, each group's in order, but for the attribute replayid, by which
subscribers tell them from repeats; in the queue their deduplication id has it as well. What a
subscriber does with them is its choice (docs/subscribing.md, "Replays"). Of a group that is what
lies between the first and the last event of the window, as far as the destination has got: an
event that was not sent yet is left to the relay. The ledger keeps 30 days. Times are those by
which the feed had seen the change, in ISO 8601 with a zone or as a while ago (2h).
With --data there is no queue to send to: the events are printed, as "watch --json" does.
Interrupted, it is gone on with by --replay-id: a subscriber that remembers leaves out what it had.
Exit code: 0 all was sent, 3 not all, 1 and 2 as elsewhere.`;

export function createReplayCommand(): Command {
  const command = new Command('replay')
    .description('Send events once more that the ledger still holds.')
    .argument('<source>', 'the name of the source')
    .option('--group <id>', 'of this return group alone', parseCount)
    .option('--from <time>', 'events from this time on', parseMoment)
    .option('--until <time>', 'events before this time', parseMoment)
    .addOption(new Option('--to <destination>', 'where to (default: queue)').choices(DESTINATION_NAMES))
    .option('--rate <number>', 'events a second, at most', parseCount, 50)
    .option('--replay-id <id>', 'of a replay to go on with', parseReplayId)
    .option('--yes', `do not ask, however many they are (more than ${MANY} are asked about)`, false);
  return addPlaceOptions(command).addHelpText('after', WHAT_IT_DOES).action(replayEvents);
}

function parseMoment(text: string): Instant {
  const stamp = parseStamp(text);
  if (stamp?.zoned === true) return stamp.instant;
  try {
    return (Date.now() - parseDuration(text)) * MILLISECOND;
  } catch {
    throw new InvalidArgumentError(
      'Write a time with its zone, such as 2026-11-20T10:15:00Z, or how long ago, such as 2h.',
    );
  }
}

function parseReplayId(text: string): string {
  if (/^[A-Za-z0-9-]{1,40}$/.test(text)) return text;
  throw new InvalidArgumentError('It is made of letters, digits and hyphens, at most 40.');
}

async function replayEvents(
  source: string,
  { group, from, until, to, ...flags }: ReplayFlags,
): Promise<void> {
  const { rate, replayId = Date.now().toString(36), yes, ...place } = flags;
  await withFeed(place, async (feed) => {
    if (feed.isLocal && to !== undefined)
      throw new UsageError('On this machine events are printed: leave --to out.');
    const state = await feed.stateOf(source);
    const err = createPrinter(process.stderr);
    const window = { from, until };
    const { ledger, marks } = feed;
    const sources = { ledger, marks, destination: feed.isLocal ? HANDED_OVER : (to ?? 'queue') };
    const plan = await planReplay(sources, keysOf(feed, state, group), window, (groups) =>
      err.status(`looked through ${groups} return groups`),
    );
    err.clear();
    const left = plan.left === 0 ? [] : [describeLeft(plan.left, feed.isLocal)];
    if (plan.events === 0) return err.line(['there is nothing to replay', ...left].join('\n'));
    const where = feed.isLocal ? 'stdout' : `the ${to ?? 'queue'}`;
    const what = `${count(plan.events, 'event')} of ${count(plan.groups.length, 'return group')} to ${where}`;
    if (plan.events > MANY && !yes && !feed.isLocal)
      await confirm(`This sends ${what}.`, 'Add --yes if that is meant.');
    await err.line(`replay ${replayId}: ${what}, ${formatDuration((plan.events / rate) * 1_000)} at least`);
    for (const line of left) await err.line(line);
    await run(feed, plan, { replayId, rate, destination: destinationOf(feed, to ?? 'queue') });
  });
}

function describeLeft(left: number, isLocal: boolean): string {
  const [events, them] = [count(left, 'event'), left === 1 ? 'it' : 'them'];
  return isLocal
    ? `left out: ${events} that "watch" has not printed yet; it prints ${them} when it runs`
    : `left to the relay: ${events} not sent yet; "redrive" sends ${them} where a group is behind`;
}

async function* keysOf(
  { ledger }: OpenFeed,
  { source, generation }: SourceState,
  group: number | undefined,
): AsyncGenerator<GroupKey> {
  if (group !== undefined) {
    yield { source, generation, group };
    return;
  }
  for await (const { key } of ledger.groups())
    if (key.source === source && key.generation === generation && key.group !== FEED_GROUP) yield key;
}

interface ReplayDestination extends Destination {
  close(): void;
}

function destinationOf(feed: OpenFeed, name: DestinationName): ReplayDestination {
  if (!feed.isLocal) return openDestination(feed.deployment, name);
  const out = createPrinter(process.stdout);
  return {
    name: 'stdout',
    async send(events) {
      for (const event of events) await out.line(JSON.stringify(event));
      return events.map(() => ({ sent: true }));
    },
    close() {},
  };
}

interface Run {
  readonly replayId: string;
  readonly rate: number;
  readonly destination: ReplayDestination;
}

async function run(feed: OpenFeed, plan: ReplayPlan, { replayId, rate, destination }: Run): Promise<void> {
  const err = createPrinter(process.stderr);
  const log = { ...feed.log, warn() {} };
  const onProgress = (sent: number) => err.status(`replay ${replayId}: ${sent} of ${plan.events} sent`);
  try {
    const ports = { ...feed, destination, log, random: Math.random };
    const report = await replay(ports, plan, { replayId, eventsPerSecond: rate, onProgress });
    for (const { key, outcome } of report.unfinished.slice(0, 10)) {
      const reason = 'reason' in outcome ? outcome.reason : 'some of its events are missing';
      await err.line(`not all of return group ${key.group}: ${printable(reason)}`);
    }
    if (report.unfinished.length > 10)
      await err.line(`and of ${count(report.unfinished.length - 10, 'group')} more`);
    await err.line(`replay ${replayId}: ${report.sent} of ${count(plan.events, 'event')} sent`);
    if (report.isGivenUp) throw new Error(`Given up; go on with --replay-id ${replayId}.`);
    if (report.unfinished.length > 0) process.exitCode = NOT_ALL_SENT;
  } finally {
    destination.close();
  }
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
