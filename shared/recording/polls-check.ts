// The polls check: known groups that a walk finds with a newer stamp older than the cursor were lost to polls. A few of
// them set the cursor back.
import type { ComparedReading } from '../guarding/compared-reading.ts';
import { noteFinding } from '../guarding/findings.ts';
import { formatInstant, type Instant, SECOND } from '../instant.ts';
import { isInPlaces } from '../position/places.ts';
import { notePassed } from '../position/position.ts';
import { setBackPolls } from '../position/set-back-polls.ts';
import type { LaneName, SourceState } from '../source/source-state.ts';

/** Stamps of known groups that are newer than known, and that polls had passed, though nothing was set aside there. */
export function passedByPolls(
  differing: readonly ComparedReading[],
  { position: { cursor, places }, setAside }: SourceState,
): Instant[] {
  return differing.flatMap(({ snapshot, reading }) => {
    const { updatedAt, projection } = reading;
    const isSetAside =
      setAside.some(({ groupId }) => groupId === projection.group.id) || isInPlaces(places, reading);
    const isKnown = snapshot !== undefined && snapshot.removedAt === undefined;
    const isPassed = isKnown && updatedAt > snapshot.updatedAt && updatedAt < cursor - SECOND;
    return isPassed && !isSetAside ? [updatedAt] : [];
  });
}

/** Returns the state after such changes. @param rhythm of walks */
export function checkPolls(
  state: SourceState,
  passed: readonly Instant[],
  lane: LaneName,
  rhythm: number,
  now: Instant,
): SourceState {
  if (passed.length === 0) return state;
  const { position, found } = notePassed(state.position, passed, rhythm, now);
  if (found === undefined) return { ...state, position };
  const { oldest, count, to } = found;
  const example = `updated_at ${formatInstant(oldest)}, read from ${formatInstant(state.position.cursor)}`;
  const noted = noteFinding(state, { code: 'polls_miss_changes', lane, count, example }, now);
  return setBackPolls(noted, to, now);
}
