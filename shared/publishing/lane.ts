// One group's progress through a run of a relay: its mark, the events read beyond it, and its outcome. A lane always
// holds the contiguous events after the last one sent, so that taking its head can neither skip nor overtake an event.
// Two exceptions: a replay passes over missing numbers, and of the group `read` only the newest event is sent.
import type { FeedEvent } from '../contract/event.ts';
import { READ_GROUP } from '../contract/event-id.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { Clock, Destination, GroupKey, Ledger, LedgerEntry, Log, Marks } from '../ports.ts';

/** What a lane needs to be filled and marked. */
export interface LanePorts {
  readonly ledger: Ledger;
  readonly marks: Marks;
  readonly destination: Pick<Destination, 'name'>;
  readonly log: Log;
  /** Whether the destination does not get this group's events; its mark moves all the same. */
  readonly withholds?: (key: GroupKey) => boolean;
  /** Whether the destination gets this event; its mark moves over the others. @default all */
  readonly admits?: (event: FeedEvent) => boolean;
  /** Whether missing numbers are passed over, because the group's events were all in the ledger once. @default false */
  readonly passesGaps?: boolean;
}

export interface RelayPorts extends LanePorts {
  readonly destination: Destination;
  readonly clock: Clock;
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
  /** How often one run tries an event that the destination fails. @default SEND_ATTEMPTS */
  readonly attempts?: number;
  /** How many events may be sent before their marks are moved: a crash repeats them. @default MAX_BATCH_ENTRIES */
  readonly maxUnmarked?: number;
}

/** A range of event numbers, both ends included. */
export interface SequenceRange {
  readonly from: number;
  readonly to: number;
}

/** The outcome of a run for a group. */
export type Outcome =
  /** Every event that the ledger showed is sent. */
  | { readonly state: 'done' }
  /** The ledger showed later events but not these: either half of a transaction was seen, or they are lost. */
  | { readonly state: 'waiting'; readonly missing: SequenceRange }
  /** Stopped at its mark because of the content of the next event. */
  | { readonly state: 'behind'; readonly sequence: number; readonly reason: string }
  /** A later run tries again. */
  | { readonly state: 'failed'; readonly reason: string };

export interface Lane {
  readonly key: GroupKey;
  /** The last number that the destination confirmed, in this run or before; undefined until the mark is read. */
  sent: number | undefined;
  /** Events confirmed in this run that the stored mark does not include yet. */
  unmarked: number;
  /** The same, of events that the destination does not get. */
  passed: number;
  /** Ascending, contiguous from `sent` + 1 unless gaps are passed over. */
  unsent: LedgerEntry[];
  /** Whether the ledger may hold more than was read. */
  more: boolean;
  missing: SequenceRange | undefined;
  /** How often the head was tried and failed. */
  attempts: number;
  /** No try before this moment, by {@link Clock.elapsed}. */
  notBefore: number;
  outcome: Outcome | undefined;
}

export function openLane(key: GroupKey): Lane {
  return {
    key,
    sent: undefined,
    unmarked: 0,
    passed: 0,
    unsent: [],
    more: true,
    missing: undefined,
    attempts: 0,
    notBefore: 0,
    outcome: undefined,
  };
}

/** Reads on as needed, and ends the lane if nothing is left to send. */
export async function fillLane(ports: LanePorts, lane: Lane): Promise<void> {
  try {
    for (passOver(ports, lane); isUnfilled(lane); passOver(ports, lane)) {
      const head = lane.unsent[0];
      if (head !== undefined && 'undecodable' in head) await stopBehind(ports, lane, head.undecodable);
      else if (lane.more) await readOn(ports, lane);
      else endWhereEmpty(lane);
    }
  } catch (cause) {
    failLane(ports, lane, 'its events or its mark could not be read', cause);
  }
}

function isUnfilled(lane: Lane): boolean {
  return lane.outcome === undefined && headOf(lane) === undefined;
}

/** Drops the events at the head that the destination does not get. */
function passOver({ admits }: LanePorts, lane: Lane): void {
  for (let head = headOf(lane); head && admits?.(head) === false; head = headOf(lane)) {
    dropHead(lane);
    lane.passed += 1;
  }
}

/** The next event to send; undefined if the lane has ended or must be filled first. */
export function headOf(lane: Lane): FeedEvent | undefined {
  const head = lane.outcome === undefined ? lane.unsent[0] : undefined;
  return head !== undefined && 'event' in head ? head.event : undefined;
}

/** Notes that the destination has confirmed the head. */
export function confirmHead(lane: Lane): void {
  dropHead(lane);
  lane.unmarked += 1;
  lane.attempts = 0;
  endWhereEmpty(lane);
}

function dropHead(lane: Lane): void {
  lane.sent = lane.unsent.shift()?.sequence;
}

/** Leaves the group at its mark until its next event, a sweep or a redrive tries again. */
export async function stopBehind(ports: LanePorts, lane: Lane, reason: string): Promise<void> {
  const sequence = lane.unsent[0]?.sequence ?? 0;
  try {
    // Move the mark first: moving it removes the note.
    await moveMark(ports, lane);
    if (lane.outcome !== undefined) return;
    const isNoted = await ports.marks.noteBehind(ports.destination.name, lane.key, { sequence, reason });
    // An operator has skipped the event meanwhile, or it was sent: a later run continues behind it.
    if (!isNoted) return failLane(ports, lane, 'another process has passed its next event');
  } catch (cause) {
    failLane(ports, lane, 'the note that it is behind could not be saved', cause);
    return;
  }
  lane.outcome = { state: 'behind', sequence, reason };
  ports.log.warn('group is behind', { ...named(ports, lane), sequence, reason });
}

/** Moves the stored mark up to the last event that was confirmed or passed over. */
export async function moveMark(ports: LanePorts, lane: Lane): Promise<void> {
  const { unmarked, passed, sent = 0 } = lane;
  if (unmarked + passed === 0) return;
  lane.unmarked = 0;
  lane.passed = 0;
  try {
    await ports.marks.advance(ports.destination.name, lane.key, sent);
  } catch (cause) {
    failLane(ports, lane, 'its mark could not be moved', cause);
  }
}

export function failLane(ports: LanePorts, lane: Lane, reason: string, cause?: unknown): void {
  lane.outcome = { state: 'failed', reason };
  const error = cause instanceof Error ? cause : undefined;
  ports.log.warn('group failed', { ...named(ports, lane), reason, error });
}

function endWhereEmpty(lane: Lane): void {
  if (lane.unsent.length > 0 || lane.more) return;
  lane.outcome = lane.missing ? { state: 'waiting', missing: lane.missing } : { state: 'done' };
}

async function readOn(ports: LanePorts, lane: Lane): Promise<void> {
  const { ledger, marks, destination } = ports;
  lane.sent ??= (await marks.load(destination.name, lane.key)) ?? 0;
  const entries = await ledger.read(lane.key, lane.sent, RELAY_READ_EVENTS);
  if (lane.key.group === READ_GROUP) return keepNewest(lane, entries);
  const expected = lane.sent + 1;
  const contiguous = entries.findIndex(({ sequence }, index) => sequence !== expected + index);
  const gap = ports.passesGaps ? undefined : entries[contiguous];
  lane.unsent = gap === undefined ? entries : entries.slice(0, contiguous);
  lane.missing = gap && { from: expected + contiguous, to: gap.sequence - 1 };
  lane.more = gap === undefined && entries.length >= RELAY_READ_EVENTS;
  if (ports.withholds?.(lane.key)) await withhold(ports, lane);
}

/** Each report of what is read makes the one before stale, and numbers that the ledger no longer has mean nothing. */
function keepNewest(lane: Lane, entries: readonly LedgerEntry[]): void {
  const newest = entries.at(-1);
  lane.more = entries.length >= RELAY_READ_EVENTS;
  if (newest === undefined) return;
  lane.unsent = lane.more ? [] : [newest];
  // The next read begins with this entry again, which may be the last one.
  lane.sent = newest.sequence - 1;
  if (lane.more) lane.passed += 1;
}

async function withhold(ports: LanePorts, lane: Lane): Promise<void> {
  if (lane.unsent.length === 0) return;
  lane.sent = (lane.sent ?? 0) + lane.unsent.length;
  lane.unsent = [];
  await ports.marks.advance(ports.destination.name, lane.key, lane.sent);
}

function named({ destination }: LanePorts, { key }: Lane) {
  return { destination: destination.name, source: key.source, generation: key.generation, group: key.group };
}
