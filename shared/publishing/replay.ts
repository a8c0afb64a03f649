// Sends events again that the ledger still holds: unchanged except for a `replayid`, by which subscribers distinguish a
// replay from a repeat. Without a `replayid` a subscriber skips the events that it has handled, and handles only missed
// ones. A replay is a relay's run on its own marks: each group's events keep their order, and an event that the
// destination fails stops that group alone. The feed's marks stay untouched.
import type { FeedEvent } from '../contract/event.ts';
import { isOwnGroup } from '../contract/event-id.ts';
import { type Instant, MILLISECOND, parseStamp, SECOND } from '../instant.ts';
import { RELAY_READ_EVENTS, SWEEP_GROUPS } from '../limits.ts';
import type { Clock, Destination, GroupKey, Ledger, LedgerEntry, Log, Marks } from '../ports.ts';
import { formatGroupKey } from '../recording/group-key.ts';
import type { Outcome, SequenceRange } from './lane.ts';
import { createRelay } from './relay.ts';

/** Selects events by the time by which they had shown. `from` is included, `until` is not; undefined is open. */
export interface ReplayWindow {
  readonly from: Instant | undefined;
  readonly until: Instant | undefined;
}

export interface ReplayGroup {
  readonly key: GroupKey;
  readonly range: SequenceRange;
}

export interface ReplayPlan {
  /** Those of earlier generations first. */
  readonly groups: readonly ReplayGroup[];
  readonly events: number;
  /** Events of the window that were not sent to the destination yet: the relay will send them. */
  readonly left: number;
  /** Numbers between planned events that the ledger no longer has: it deletes expired events in any order. */
  readonly missing: number;
}

export interface ReplaySources {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly marks: Pick<Marks, 'load'>;
  /** The destination's name in the marks. */
  readonly destination: string;
  /** Whether the destination gets this event. @default all */
  readonly admits?: (event: FeedEvent) => boolean;
}

/**
 * Plans the replay of some groups. Each group's part is one run of numbers: events between two events of the window
 * belong to it, whatever clock timed them. It ends at the destination's mark: an event beyond was not sent yet, and a
 * replay would send it before its predecessors. The feed's own events are left out.
 */
export async function planReplay(
  sources: ReplaySources,
  keys: AsyncIterable<GroupKey> | Iterable<GroupKey>,
  window: ReplayWindow,
  onProgress: (groups: number) => void = () => {},
): Promise<ReplayPlan> {
  const found = new Map<string, { readonly group: ReplayGroup | undefined; readonly events: number }>();
  let left = 0;
  let missing = 0;
  const look = async (portion: readonly GroupKey[]) => {
    const groups = await Promise.all(portion.map((key) => planGroup(sources, key, window)));
    for (const { key, range, events, ...others } of groups) {
      found.set(formatGroupKey(key), { group: range && { key, range }, events });
      left += others.left;
      missing += others.missing;
    }
    onProgress(found.size);
  };
  let portion: GroupKey[] = [];
  for await (const key of keys) {
    if (isOwnGroup(key.group) || found.has(formatGroupKey(key))) continue;
    portion.push(key);
    if (portion.length < SWEEP_GROUPS) continue;
    await look(portion);
    portion = [];
  }
  await look(portion);
  const planned = [...found.values()];
  const groups = planned
    .flatMap(({ group }) => (group === undefined ? [] : [group]))
    .sort((one, other) => mintedAt(one) - mintedAt(other));
  return { groups, events: planned.reduce((sum, { events }) => sum + events, 0), left, missing };
}

/** A generation's name is the millisecond of its creation in base 36 (mint-state.ts). */
function mintedAt({ key }: ReplayGroup): number {
  return Number.parseInt(key.generation, 36);
}

/** The sent part of a group's window, and the counts of its unsent and its missing events. */
async function planGroup(sources: ReplaySources, key: GroupKey, window: ReplayWindow) {
  const { marks, destination } = sources;
  const { range: whole, present, admitted } = await findRange(sources, key, window);
  if (whole === undefined) return { key, range: undefined, events: 0, left: 0, missing: 0 };
  const sent = (await marks.load(destination, key)) ?? 0;
  const range = { from: whole.from, to: Math.min(whole.to, sent) };
  const events = countWithin(admitted, range);
  const left = countWithin(admitted, whole) - events;
  if (events === 0) return { key, range: undefined, events, left, missing: 0 };
  return { key, range, events, left, missing: lengthOf(range) - countWithin(present, range) };
}

function countWithin(numbers: ReadonlySet<number>, { from, to }: SequenceRange): number {
  return [...numbers].filter((it) => it >= from && it <= to).length;
}

function lengthOf({ from, to }: SequenceRange): number {
  return to - from + 1;
}

/** The group's range in the window, and the numbers in the ledger: all, and those that the destination gets. */
async function findRange(
  { ledger, admits }: ReplaySources,
  key: GroupKey,
  { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: ReplayWindow,
) {
  let range: SequenceRange | undefined;
  const present = new Set<number>();
  const admitted = new Set<number>();
  for (let after = 0; ; ) {
    const entries = await ledger.read(key, after, RELAY_READ_EVENTS);
    for (const entry of entries) {
      present.add(entry.sequence);
      if (!('event' in entry && admits?.(entry.event) === false)) admitted.add(entry.sequence);
      const shownBy = 'event' in entry ? (parseStamp(entry.event.data.observed.by)?.instant ?? 0) : undefined;
      if (shownBy === undefined || shownBy < from || shownBy >= until) continue;
      range = { from: range?.from ?? entry.sequence, to: entry.sequence };
    }
    after = entries.at(-1)?.sequence ?? after;
    if (entries.length < RELAY_READ_EVENTS) return { range, present, admitted };
  }
}

export interface ReplayPorts {
  readonly ledger: Ledger;
  readonly destination: Destination;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** As in {@link ReplaySources}. */
  readonly admits?: (event: FeedEvent) => boolean;
}

export interface ReplayOptions {
  /**
   * Of `[A-Za-z0-9-]`, at most 40 characters. Subscribers treat a repeated id as the same replay. Undefined for events
   * that stay unchanged: a subscriber that has handled one skips it.
   */
  readonly replayId: string | undefined;
  readonly eventsPerSecond: number;
  /** Called after each batch with the number of events sent so far. */
  readonly onProgress?: (sent: number) => void;
}

export interface ReplayReport {
  readonly sent: number;
  /** The outcomes of groups that were not sent completely. */
  readonly unfinished: readonly { readonly key: GroupKey; readonly outcome: Outcome }[];
  /** Whether the replay stopped early because the destination failed as a whole: some groups may not have begun. */
  readonly isGivenUp: boolean;
}

/** Longer than any run: only a failing destination ends one. */
const RUN_MS = 24 * 3_600_000;

/** Sends the planned events. Never throws because of a failing destination. */
export async function replay(
  ports: ReplayPorts,
  { groups }: Pick<ReplayPlan, 'groups'>,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const ranges = new Map(groups.map(({ key, range }) => [formatGroupKey(key), range]));
  const counter = { sent: 0 };
  const relay = createRelay({
    ...ports,
    ledger: viewOf(ports.ledger, ranges, options.replayId),
    marks: marksBefore(ranges),
    destination: paced(ports, options, counter),
    // Everything up to the mark was in the ledger once: what is missing now has expired.
    passesGaps: true,
  });
  const unfinished: ReplayReport['unfinished'][number][] = [];
  for (const keys of portionsOf(groups)) {
    const outcomes = await relay(keys, RUN_MS);
    const left = keys.flatMap((key, index) => {
      const outcome = outcomes[index];
      return outcome === undefined || outcome.state === 'done' ? [] : [{ key, outcome }];
    });
    unfinished.push(...left);
    // Single groups fail for their own reasons; if all fail, the destination has failed.
    const failed = left.filter(({ outcome }) => outcome.state === 'failed').length;
    if (failed === keys.length) return { sent: counter.sent, unfinished, isGivenUp: true };
  }
  return { sent: counter.sent, unfinished, isGivenUp: false };
}

/** A return's events of one generation are sent before those of the next. */
function portionsOf(groups: readonly ReplayGroup[]): GroupKey[][] {
  const portions: GroupKey[][] = [];
  for (const { key } of groups) {
    const portion = portions.at(-1) ?? [];
    if (portion[0]?.generation === key.generation && portion.length < SWEEP_GROUPS) portion.push(key);
    else portions.push([key]);
  }
  return portions;
}

/** The part of the ledger to replay, each event with the replay's id. */
function viewOf(
  ledger: Ledger,
  ranges: ReadonlyMap<string, SequenceRange>,
  replayId: string | undefined,
): Ledger {
  const withReplayId = (entry: LedgerEntry): LedgerEntry =>
    'event' in entry && replayId !== undefined
      ? { ...entry, event: { ...entry.event, replayid: replayId } as FeedEvent }
      : entry;
  return {
    ...ledger,
    async read(key, after, limit) {
      const { to } = rangeOf(key, ranges);
      const entries = await ledger.read(key, after, limit);
      return entries.filter(({ sequence }) => sequence <= to).map(withReplayId);
    },
  };
}

function marksBefore(ranges: ReadonlyMap<string, SequenceRange>): Marks {
  return {
    load: async (_, key) => rangeOf(key, ranges).from - 1,
    advance: async () => true,
    noteBehind: async () => true,
  };
}

/** The planned range of a group; an empty one if it is not planned. */
function rangeOf(key: GroupKey, ranges: ReadonlyMap<string, SequenceRange>): SequenceRange {
  return ranges.get(formatGroupKey(key)) ?? { from: 1, to: 0 };
}

/** The destination, limited to this many events a second. */
function paced(
  { destination, clock }: ReplayPorts,
  { eventsPerSecond, onProgress }: ReplayOptions,
  counter: { sent: number },
): Destination {
  let nextAt = clock.elapsed();
  return {
    name: destination.name,
    async send(events) {
      await clock.sleep(Math.max(0, nextAt - clock.elapsed()) / MILLISECOND);
      // A slow destination gets no burst later to make up for lost time.
      nextAt = Math.max(nextAt, clock.elapsed()) + (events.length / eventsPerSecond) * SECOND;
      const results = await destination.send(events);
      counter.sent += results.filter(({ sent }) => sent).length;
      onProgress?.(counter.sent);
      return results;
    },
  };
}
