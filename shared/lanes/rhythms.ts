// How often each lane reads. Pure, for the lanes and for readers of the state.
import { knownGroups } from '../guarding/removals.ts';
import { HOUR, MILLISECOND, MINUTE } from '../instant.ts';
import { plannedRows } from '../reading/room.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';

const LATE_RHYTHM = MINUTE;
export const OLDER_RHYTHM: number = 12 * HOUR;
/** Both walks are one while that takes less than this share of the budget of a cycle. */
const CHEAP_SHARE = 0.1;

/** How often `late` is due: no more often than `fresh`. */
export function lateRhythm({
  intervalMs,
  lookbackMs,
}: Pick<SourceSettings, 'intervalMs' | 'lookbackMs'>): number {
  return Math.max(intervalMs * MILLISECOND, Math.min(LATE_RHYTHM, (lookbackMs * MILLISECOND) / 5));
}

/** Whether `recent` walks all groups. */
export function isJoined(
  state: SourceState,
  { reconcileMs, requestsPerMinute }: Pick<SourceSettings, 'reconcileMs' | 'requestsPerMinute'>,
): boolean {
  if (state.baselineAt === undefined) return true;
  const pieces = knownGroups(state) / plannedRows(state.room, state.limit);
  return pieces < CHEAP_SHARE * requestsPerMinute * ((reconcileMs * MILLISECOND) / MINUTE);
}
