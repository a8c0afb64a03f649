// `replay`: sends again events that the ledger still holds, marked as a replay.
import { Command, InvalidArgumentError } from 'commander';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import { DESTINATION_NAMES, type DestinationName } from '../../shared/deployment/destinations.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { planReplay, type ReplayPlan, replay } from '../../shared/publishing/replay.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration, parseCount } from '../cli/durations.ts';
import { NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { addFilterOptions, type FilterFlags, selects } from '../cli/filter-flags.ts';
import { parseMoment } from '../cli/parse-moment.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { findReplayTarget, type ReplayTarget } from '../operating/replay-target.ts';
import type { OpenFeed, PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';

interface ReplayFlags extends PlaceFlags, FilterFlags {
  readonly from?: Instant;
  readonly until?: Instant;
  readonly to?: string;
  readonly again: boolean;
  readonly rate: number;
  readonly replayId?: string;
  readonly yes: boolean;
}

const USUAL: DestinationName = 'ordered';
/** Above this number the command asks for confirmation. */
const MANY = 1_000;

const HELP = `
Each group's events are sent in order and unchanged, except for an added attribute replayid. It
distinguishes a replay from a repeat, and on the ordered topic it is part of the deduplication id.
Each subscriber decides how it handles replays (docs/subscribing.md, "Replays").
To a webhook the command itself posts the events that pass the webhook's filter, signed and without
replayid, so the receiver handles only those that it missed. With --again they have the replayid,
also in the webhook-id ("<id>_<replayid>"), so the receiver handles all again. The command rejects a
paused webhook, and stops if the endpoint answers 429 or 503.
--from and --until limit the times at which the feed saw the changes. Give an ISO 8601 time with its
zone, or a time before now, such as 2h. The command sends all events of a group from the first to
the last one in the window. It leaves out events that were not sent to the destination yet (the relay
sends these), and events that the ledger has deleted (those older than 30 days, not always the oldest
first). With --type it sends only events of these types. After "sources restore", the events of
earlier generations come first.
With --data there are no subscribers: the events are printed, as by "watch --json".
To continue an interrupted replay, pass its --replay-id: a subscriber that remembers the events it
has handled skips them.
Examples:
  returns-feed replay acme --from 2h --stack ReturnsFeed
  returns-feed replay acme --group 184467 --type 'shipment.*' --data state
  returns-feed replay acme --to Wms --from 2026-11-20T10:15:00Z --stack ReturnsFeed
Exit code: 0 all events are sent, 3 not all, 1 the command failed, 2 invalid usage.`;

export function createReplayCommand(): Command {
  const command = new Command('replay')
    .description('Send again the events that the ledger still holds.')
    .argument('<source>', 'the name of the source')
    .option('--from <time>', 'only events from this time on', parseMoment)
    .option('--until <time>', 'only events before this time', parseMoment)
    .option(
      '--to <destination>',
      `the destination: ${DESTINATION_NAMES.join(', ')}, or the id of a webhook (default: ${USUAL})`,
    )
    .option('--again', 'to a webhook: also events that it knows, marked as a replay', false)
    .option('--rate <number>', 'maximum number of events a second', parseCount, 50)
    .option('--replay-id <id>', 'id of the replay to continue', parseReplayId)
    .addOption(yesOption(`send more than ${MANY} events without asking`));
  addFilterOptions(command, 'send');
  return addPlaceOptions(command).addHelpText('after', HELP).action(replayEvents);
}

function parseReplayId(text: string): string {
  if (/^[A-Za-z0-9-]{1,40}$/.test(text)) return text;
  throw new InvalidArgumentError('Give an id of at most 40 letters, digits and hyphens.');
}

async function replayEvents(
  source: string,
  { group, type, from, until, ...flags }: ReplayFlags,
): Promise<void> {
  const { to, again, rate, replayId, yes, ...place } = flags;
  const filter = { ...(type && { type }), ...(group && { group }) };
  await withFeed(place, async (feed) => {
    const target = selecting(await findReplayTarget(feed, to), filter);
    const id = replayIdFor(target, again, replayId);
    const state = await feed.stateOf(source);
    const err = createPrinter(process.stderr);
    const { ledger, marks } = feed;
    const sources = { ledger, marks, destination: target.mark, admits: target.admits };
    const plan = await planReplay(sources, keysOf(feed, state, group, from), { from, until }, (groups) =>
      err.progress(`searched ${formatCount(groups)} return groups`),
    );
    err.clear();
    const left = [
      ...(plan.left === 0 ? [] : [describeLeft(plan.left, target)]),
      ...(plan.missing === 0
        ? []
        : [`left out: ${counted(plan.missing, 'event')} that the ledger no longer has`]),
    ];
    if (plan.events === 0) return err.line(['there is nothing to replay', ...left].join('\n'));
    const groups = counted(countReturns(plan), 'return group');
    const what = `${counted(plan.events, 'event')} of ${groups} to ${target.title}`;
    if (plan.events > MANY && !yes && target.kind !== 'stdout') await confirm(`Send ${what}?`);
    await err.line(`${titleOf(id)}: ${what}, ${formatDuration((plan.events / rate) * 1_000)} at least`);
    for (const line of left) await err.line(line);
    await run(feed, plan, target, { replayId: id, rate });
  });
}

/** The target, which gets only the selected events. */
function selecting(target: ReplayTarget, filter: FilterFlags): ReplayTarget {
  return { ...target, admits: (event) => selects(filter, event) && target.admits(event) };
}

/** @returns undefined if events keep their ids */
function replayIdFor({ kind }: ReplayTarget, again: boolean, given: string | undefined): string | undefined {
  if (kind === 'webhook' && !again) {
    if (given === undefined) return undefined;
    throw new UsageError('--replay-id needs --again: without it, events to a webhook keep their ids.');
  }
  return given ?? Date.now().toString(36);
}

function titleOf(replayId: string | undefined): string {
  return replayId === undefined ? 'replay' : `replay ${replayId}`;
}

function describeLeft(left: number, { kind }: ReplayTarget): string {
  const [events, them] = [counted(left, 'event'), left === 1 ? 'it' : 'them'];
  if (kind === 'stdout')
    return `left out: ${events} that "watch" has not printed yet; it prints ${them} when it runs`;
  if (kind === 'webhook') return `left to the webhook's sender: ${events} not sent yet`;
  return `left to the relay: ${events} not sent yet; if the group is behind, "redrive" sends ${them}`;
}

/** A return has a key in each generation of its source. */
function countReturns({ groups }: ReplayPlan): number {
  return new Set(groups.map(({ key }) => key.group)).size;
}

async function* keysOf(
  { ledger }: OpenFeed,
  { source, generation, earlierGenerations }: SourceState,
  groups: readonly number[] | undefined,
  from: Instant | undefined,
): AsyncGenerator<GroupKey> {
  if (groups !== undefined) {
    for (const each of [...earlierGenerations, generation])
      for (const group of groups) yield { source, generation: each, group };
    return;
  }
  // No destination has the empty name, so it lacks all events that were saved later.
  for await (const { key } of ledger.groups({ destination: '', since: from }))
    if (key.source === source && !isOwnGroup(key.group)) yield key;
}

async function run(
  feed: OpenFeed,
  plan: ReplayPlan,
  target: ReplayTarget,
  { replayId, rate }: { readonly replayId: string | undefined; readonly rate: number },
): Promise<void> {
  const err = createPrinter(process.stderr);
  const title = titleOf(replayId);
  const log = { ...feed.log, warn() {} };
  const onProgress = (sent: number) => err.progress(`${title}: ${sent} of ${plan.events} sent`);
  const destination = await target.open();
  try {
    const ports = { ...feed, destination, admits: target.admits, log, random: Math.random };
    const report = await replay(ports, plan, { replayId, eventsPerSecond: rate, onProgress });
    const stoppedBy = destination.stoppedBy?.();
    const done = `${report.sent} of ${counted(plan.events, 'event')} sent`;
    if (stoppedBy !== undefined)
      throw new Error(
        `Stopped: the endpoint ${stoppedBy}, which asks for a pause. ${done}, ${plan.events - report.sent} left. ` +
          howToContinue(replayId),
      );
    for (const { key, outcome } of report.unfinished.slice(0, 10)) {
      const reason = 'reason' in outcome ? outcome.reason : 'some of its events are missing';
      await err.line(`not all events of return group ${key.group} sent: ${printable(reason)}`);
    }
    if (report.unfinished.length > 10)
      await err.line(`not all events of ${counted(report.unfinished.length - 10, 'other group')} sent`);
    await err.line(`${title}: ${done}`);
    if (report.isGivenUp) throw new Error(`Stopped: the destination fails. ${howToContinue(replayId)}`);
    if (report.unfinished.length > 0) process.exitCode = NEEDS_ATTENTION;
  } finally {
    destination.close();
  }
}

function howToContinue(replayId: string | undefined): string {
  if (replayId === undefined) return 'To continue, run the command again.';
  return `To continue, add --replay-id ${replayId}.`;
}
