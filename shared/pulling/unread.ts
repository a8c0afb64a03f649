// The events that a reader of the pull feed has not read: `status` shows them, and an alarm watches them. The offset that a
// reader asks from says how far it is: nothing else tells what its client has saved.
import { type Instant, MILLISECOND } from '../instant.ts';
import type { Positions } from './positions.ts';
import type { Reader } from './reader.ts';
import { positionOf } from './reader-stream.ts';

/** Positions whose events are counted. */
export interface CountedPositions extends Pick<Positions, 'epoch' | 'newest' | 'expired'> {
  /** The events after a position. */
  beyond(after: number): Promise<Unread>;
}

/** The events that a reader has not read; `expired` if some of them are not kept: it will get 410. */
export type Unread = UnreadEvents | 'expired';

export interface UnreadEvents {
  readonly count: number;
  /** Whether there may be more. */
  readonly isCut: boolean;
  /** When the first of them was saved, or got its position; undefined if there is none. */
  readonly since: Instant | undefined;
}

/** All events count, also those that the reader's filter leaves out: its pages move past them. */
export async function findUnread(positions: CountedPositions, { lastOffset }: Reader): Promise<Unread> {
  const position = await positionOf(positions, lastOffset);
  return typeof position === 'string' ? 'expired' : positions.beyond(position);
}

/** Whether an event waits for longer than the reader's `alarmAfterMs`. A reader that never asked has not begun. */
export function isLate({ readAt, alarmAfterMs }: Reader, unread: Unread, now: Instant): boolean {
  if (readAt === undefined || alarmAfterMs === undefined) return false;
  if (unread === 'expired') return true;
  return unread.since !== undefined && now - unread.since > alarmAfterMs * MILLISECOND;
}

/** @returns how many of the readers are late */
export async function countLate(
  readers: Iterable<Reader>,
  positions: CountedPositions,
  now: Instant,
): Promise<number> {
  const watched = [...readers].filter(
    ({ readAt, alarmAfterMs }) => readAt !== undefined && alarmAfterMs !== undefined,
  );
  const late = await Promise.all(
    watched.map(async (reader) => isLate(reader, await findUnread(positions, reader), now)),
  );
  return late.filter(Boolean).length;
}
