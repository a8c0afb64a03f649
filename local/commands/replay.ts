// `replay`: sends again events that the ledger still holds, marked as a replay.
import { Command, InvalidArgumentError, Option } from 'commander';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import {
  DESTINATION_NAMES,
  type DestinationName,
  labelsOf,
  markOf,
} from '../../shared/deployment/destinations.ts';
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
import { openDestinationOf } from '../operating/open-destinations.ts';
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

const USUAL: DestinationName = 'ordered';
/** Above this number the command asks for confirmation. */
const MANY = 1_000;
/** Exit code, as in `status`: the command worked, but a group needs attention. */
const NOT_ALL_SENT = 3;

const HELP = `
Events are sent unchanged and in each group's order. Only the attribute replayid is added:
subscribers use it to tell a replay from a repeat, and on the ordered topic it is part of the
deduplication id. Each subscriber decides how it handles replays (docs/subscribing.md, "Replays").
Of each group the command sends every event from the first to the last one in the window, as far as
the destination has got them already; the relay sends the rest. The ledger keeps events for 30 days.
--from and --until compare the time by which the feed had seen the change. Give them in ISO 8601
with a zone, or as a time before now (2h).
With --data there are no subscribers: the events are printed, as by "watch --json".
To continue an interrupted replay, pass its --replay-id: a subscriber that remembers the events it
has handled skips them.
Exit code: 0 all events are sent, 3 not all, 1 the command failed, 2 invalid usage.`;

export function createReplayCommand(): Command {
  const command = new Command('replay')
    .description('Send again the events that the ledger still holds.')
    .argument('<source>', 'the name of the source')
    .option('--group <id>', 'only events of this return group', parseCount)
    .option('--from <time>', 'only events from this time on', parseMoment)
    .option('--until <time>', 'only events before this time', parseMoment)
    .addOption(
      new Option('--to <destination>', `the destination (default: ${USUAL})`).choices(DESTINATION_NAMES),
    )
    .option('--rate <number>', 'maximum number of events a second', parseCount, 50)
    .option('--replay-id <id>', 'id of the replay to continue', parseReplayId)
    .option('--yes', `send more than ${MANY} events without asking for confirmation`, false);
  return addPlaceOptions(command).addHelpText('after', HELP).action(replayEvents);
}

function parseMoment(text: string): Instant {
  const stamp = parseStamp(text);
  if (stamp?.zoned === true) return stamp.instant;
  try {
    return (Date.now() - parseDuration(text)) * MILLISECOND;
  } catch {
    throw new InvalidArgumentError(
      'Give a time with its zone, such as 2026-11-20T10:15:00Z, or a time before now, such as 2h.',
    );
  }
}

function parseReplayId(text: string): string {
  if (/^[A-Za-z0-9-]{1,40}$/.test(text)) return text;
  throw new InvalidArgumentError('Give an id of at most 40 letters, digits and hyphens.');
}

async function replayEvents(
  source: string,
  { group, from, until, to, ...flags }: ReplayFlags,
): Promise<void> {
  const { rate, replayId = Date.now().toString(36), yes, ...place } = flags;
  await withFeed(place, async (feed) => {
    if (feed.isLocal && to !== undefined) throw new UsageError('With --data events are printed: omit --to.');
    const state = await feed.stateOf(source);
    const err = createPrinter(process.stderr);
    const window = { from, until };
    const { ledger, marks } = feed;
    const name = to ?? USUAL;
    const sources = { ledger, marks, destination: feed.isLocal ? HANDED_OVER : markOf(name) };
    const plan = await planReplay(sources, keysOf(feed, state, group), window, (groups) =>
      err.status(`searched ${groups} return groups`),
    );
    err.clear();
    const left = plan.left === 0 ? [] : [describeLeft(plan.left, feed.isLocal)];
    if (plan.events === 0) return err.line(['there is nothing to replay', ...left].join('\n'));
    const where = feed.isLocal ? 'stdout' : labelsOf(name).title;
    const what = `${count(plan.events, 'event')} of ${count(plan.groups.length, 'return group')} to ${where}`;
    if (plan.events > MANY && !yes && !feed.isLocal)
      await confirm(`This sends ${what}.`, 'Add --yes to confirm.');
    await err.line(`replay ${replayId}: ${what}, ${formatDuration((plan.events / rate) * 1_000)} at least`);
    for (const line of left) await err.line(line);
    await run(feed, plan, { replayId, rate, destination: destinationOf(feed, name) });
  });
}

function describeLeft(left: number, isLocal: boolean): string {
  const [events, them] = [count(left, 'event'), left === 1 ? 'it' : 'them'];
  return isLocal
    ? `left out: ${events} that "watch" has not printed yet; it prints ${them} when it runs`
    : `left to the relay: ${events} not sent yet; if the group is behind, "redrive" sends ${them}`;
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
  if (!feed.isLocal) return openDestinationOf(feed.deployment, name);
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
      await err.line(`not all events of return group ${key.group} sent: ${printable(reason)}`);
    }
    if (report.unfinished.length > 10)
      await err.line(`not all events of ${count(report.unfinished.length - 10, 'other group')} sent`);
    await err.line(`replay ${replayId}: ${report.sent} of ${count(plan.events, 'event')} sent`);
    if (report.isGivenUp)
      throw new Error(`Stopped: the destination fails. To continue, add --replay-id ${replayId}.`);
    if (report.unfinished.length > 0) process.exitCode = NOT_ALL_SENT;
  } finally {
    destination.close();
  }
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
