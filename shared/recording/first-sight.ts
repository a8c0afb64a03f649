// When the first sight of a group is news: if it was created after the feed's origin, or the baseline has read the part in
// which it was created.
import type { WatchedEntity } from '../comparing/changes.ts';
import type { Reading } from '../comparing/snapshot.ts';
import type { ComparedReading } from '../guarding/compared-reading.ts';
import { type Instant, parseStamp, SECOND } from '../instant.ts';
import { EARLIEST, LATEST, type Range } from '../reading/range.ts';
import type { SourceState } from '../source/source-state.ts';

/** An entity without a time of creation counts as new. */
export function isCreatedAfter(origin: Instant, entity: WatchedEntity): boolean {
  const stamp = 'created_at' in entity ? parseStamp(String(entity.created_at)) : undefined;
  return stamp === undefined || stamp.instant > origin;
}

/** Whether the baseline has read the part in which a group was created: then its first sight is news. */
export function isReadByBaseline({ baselineAt, lanes }: SourceState, { createdAt }: Reading): boolean {
  if (baselineAt !== undefined) return true;
  const { round } = lanes.recent;
  // Bounds are sent a second wider.
  const isIn = ({ from = EARLIEST, to = LATEST }: Range) =>
    createdAt >= from - SECOND && createdAt < to + SECOND;
  return round !== undefined && !round.stack.some(isIn);
}

/** Whether a group that was created before the feed began is seen for the first time after the baseline. */
export function isFirstSeenLate({ snapshot, reading }: ComparedReading, state: SourceState): boolean {
  const { origin = Number.NEGATIVE_INFINITY } = state.position;
  return snapshot === undefined && reading.createdAt <= origin && isReadByBaseline(state, reading);
}
