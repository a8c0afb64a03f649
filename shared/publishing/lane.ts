// One group's way through a run of a relay: its mark, the events read beyond it, and how it ended. What a lane
// holds is always the contiguous run from the last event sent, so that whoever takes the head of it can neither
// skip nor overtake.
import type { FeedEvent } from '../contract/event.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { Clock, Destination, GroupKey, Ledger, LedgerEntry, Log, Marks } from '../ports.ts';

export interface RelayPorts {
  readonly ledger: Ledger;
  readonly marks: Marks;
  readonly destination: Destination;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 up to but not including 1, for the pauses' jitter. */
  readonly random: () => number;
  /** Whether the destination does without this group's events; its mark moves all the same. */
  readonly withholds?: (key: GroupKey) => boolean;
}

/** Numbers of events, both inclusive. */
export interface SequenceRange {
  readonly from: number;
  readonly to: number;
}

/** How a run left a group. */
export type Outcome =
  /** Nothing that the ledger showed is unsent. */
  | { readonly state: 'done' }
  /** The ledger did not show these, but later ones: half of a transaction was seen, or they are lost. */
  | { readonly state: 'waiting'; readonly missing: SequenceRange }
  /** Stopped at its mark for the content of the next event. */
  | { readonly state: 'behind'; readonly sequence: number; readonly reason: string }
  /** To be tried again. */
  | { readonly state: 'failed'; readonly reason: string };

export interface Lane {
  readonly key: GroupKey;
  /** The last number confirmed by the destination, here or in an earlier run; undefined before it was read. */
  sent: number | undefined;
  /** Events confirmed in this run that the mark does not tell of yet. */
  unmarked: number;
  /** Contiguous from `sent` + 1, ascending. */
  unsent: LedgerEntry[];
  /** Whether the ledger may hold more than was read. */
  more: boolean;
  missing: SequenceRange | undefined;
  /** Times that the head was tried and failed. */
  attempts: number;
  /** By {@link Clock.elapsed}. */
  notBefore: number;
  outcome: Outcome | undefined;
}

export function openLane(key: GroupKey): Lane {
  return {
    key,
    sent: undefined,
    unmarked: 0,
    unsent: [],
    more: true,
    missing: undefined,
    attempts: 0,
    notBefore: 0,
    outcome: undefined,
  };
}

/** Reads on as needed, and ends the lane where nothing is left that could be sent. */
export async function fillLane(ports: RelayPorts, lane: Lane): Promise<void> {
  try {
    while (lane.outcome === undefined && headOf(lane) === undefined) {
      const head = lane.unsent[0];
      if (head !== undefined && 'undecodable' in head) await stopBehind(ports, lane, head.undecodable);
      else if (lane.more) await readOn(ports, lane);
      else endWhereEmpty(lane);
    }
  } catch (cause) {
    failLane(ports, lane, 'its events or its mark could not be read', cause);
  }
}

/** The event to be sent next; undefined where the lane has ended or is to be filled first. */
export function headOf(lane: Lane): FeedEvent | undefined {
  const head = lane.outcome === undefined ? lane.unsent[0] : undefined;
  return head !== undefined && 'event' in head ? head.event : undefined;
}

/** Takes note that the destination has the head. */
export function confirmHead(lane: Lane): void {
  lane.sent = (lane.sent ?? 0) + 1;
  lane.unmarked += 1;
  lane.unsent.shift();
  lane.attempts = 0;
  endWhereEmpty(lane);
}

/** Leaves the group at its mark until its next event, a sweep or a redrive tries again. */
export async function stopBehind(ports: RelayPorts, lane: Lane, reason: string): Promise<void> {
  const sequence = (lane.sent ?? 0) + 1;
  try {
    // Moving the mark takes the note back, so the mark comes first.
    await moveMark(ports, lane);
    if (lane.outcome !== undefined) return;
    await ports.marks.noteBehind(ports.destination.name, lane.key, `${sequence}: ${reason}`);
  } catch (cause) {
    failLane(ports, lane, 'it could not be noted as behind', cause);
    return;
  }
  lane.outcome = { state: 'behind', sequence, reason };
  ports.log.warn('group is behind', { ...named(ports, lane), sequence, reason });
}

/** Makes the mark tell of all that was confirmed. */
export async function moveMark(ports: RelayPorts, lane: Lane): Promise<void> {
  const { unmarked, sent = 0 } = lane;
  if (unmarked === 0) return;
  lane.unmarked = 0;
  try {
    await ports.marks.advance(ports.destination.name, lane.key, sent);
  } catch (cause) {
    failLane(ports, lane, 'its mark could not be moved', cause);
  }
}

export function failLane(ports: RelayPorts, lane: Lane, reason: string, cause?: unknown): void {
  lane.outcome = { state: 'failed', reason };
  const error = cause instanceof Error ? cause : undefined;
  ports.log.warn('group failed', { ...named(ports, lane), reason, error });
}

function endWhereEmpty(lane: Lane): void {
  if (lane.unsent.length > 0 || lane.more) return;
  lane.outcome = lane.missing ? { state: 'waiting', missing: lane.missing } : { state: 'done' };
}

async function readOn(ports: RelayPorts, lane: Lane): Promise<void> {
  const { ledger, marks, destination } = ports;
  lane.sent ??= (await marks.load(destination.name, lane.key)) ?? 0;
  const entries = await ledger.read(lane.key, lane.sent, RELAY_READ_EVENTS);
  const expected = lane.sent + 1;
  const contiguous = entries.findIndex(({ sequence }, index) => sequence !== expected + index);
  const gap = entries[contiguous];
  lane.unsent = gap === undefined ? entries : entries.slice(0, contiguous);
  lane.missing = gap && { from: expected + contiguous, to: gap.sequence - 1 };
  lane.more = gap === undefined && entries.length >= RELAY_READ_EVENTS;
  if (ports.withholds?.(lane.key)) await withhold(ports, lane);
}

async function withhold(ports: RelayPorts, lane: Lane): Promise<void> {
  if (lane.unsent.length === 0) return;
  lane.sent = (lane.sent ?? 0) + lane.unsent.length;
  lane.unsent = [];
  await ports.marks.advance(ports.destination.name, lane.key, lane.sent);
}

function named({ destination }: RelayPorts, { key }: Lane) {
  return { destination: destination.name, source: key.source, generation: key.generation, group: key.group };
}
