// The brake. If most groups that walks compare suddenly differ without a newer stamp, the service has probably begun to
// answer in another way. Such changes are then held, before the answer that shows them is saved. A hold ends by itself:
// a change that goes back leaves nothing to publish, and after an hour the next walk publishes what it still finds.
import { HOUR, type Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { type ComparedReading, hasEvents } from './compared-reading.ts';
import { findHold, holdBack, setPhase } from './holds.ts';
import { isTooMany, MOST_LOOK_UPS } from './removals.ts';
import { sampleChange } from './sample-change.ts';

/** Groups that are judged together: the last ones that walks compared. */
const WINDOW = 60;
/** Fewer differing groups are no mass change. */
const FEWEST = 20;
/** How long a mass change is held. */
export const MASS_CHANGE_HOLD: number = HOUR;
/** After a longer pause so many groups have changed that a walk can't tell a mass change from a busy day. */
const JUDGED_WITHIN = 4 * HOUR;

/** Whether answers of a walk are judged now. @param twoWalks the time of two walks over recent groups, if that is longer */
export function isJudged(
  { holds, position, lanes }: SourceState,
  lane: 'recent' | 'older',
  twoWalks: number,
  now: Instant,
): boolean {
  if (findHold({ holds }, 'mass_change') !== undefined) return false;
  // By its beginning: a walk that went on after a pause has read some groups before it.
  const readAt = position.readAt.recent ?? lanes.recent.endedAt;
  return lane === 'older' || now - readAt <= Math.max(JUDGED_WITHIN, twoWalks);
}

/**
 * Returns the state after a walk has compared groups, in their order, with a new hold if most of the last ones differ.
 *
 * @param differs for each compared group whether it differs without a newer stamp
 */
export function brake(
  state: SourceState,
  differs: readonly boolean[],
  changes: readonly ComparedReading[],
  now: Instant,
): SourceState {
  const all = state.compared + differs.map((each) => (each ? '1' : '0')).join('');
  let compared = '';
  // Row by row: the end of a page may dilute what its middle shows.
  for (let end = state.compared.length + 1; end <= all.length; end += 1) {
    compared = all.slice(Math.max(0, end - WINDOW), end);
    const differing = compared.replaceAll('0', '').length;
    if (differing < FEWEST || differing <= compared.length / 2) continue;
    const samples = changes.flatMap(sampleChange);
    return holdBack({ ...state, compared: '' }, { kind: 'mass_change', count: differing, samples }, now);
  }
  return { ...state, compared: compared || state.compared };
}

/**
 * Returns the state after an answer that shows groups with stamps before the known ones, with a new hold if these and those
 * that are looked up for it are too many: of a database that was restored not each group is looked up.
 */
export function brakeOlder(state: SourceState, older: readonly ComparedReading[], now: Instant): SourceState {
  const ids = new Set(older.map(({ reading }) => reading.projection.group.id));
  for (const { groupId, olderSince } of state.lookUps) if (olderSince !== undefined) ids.add(groupId);
  const isFew = !isTooMany(state, ids.size) && ids.size <= MOST_LOOK_UPS;
  if (isFew || findHold(state, 'mass_change') !== undefined) return state;
  const lookUps = state.lookUps.filter(({ olderSince }) => olderSince === undefined);
  const samples = older.flatMap(sampleChange);
  return holdBack({ ...state, lookUps }, { kind: 'mass_change', count: ids.size, samples }, now);
}

/** Returns the state as a walk over recent groups begins: after an hour the walks publish what they still find. */
export function releaseInTime(state: SourceState, now: Instant): SourceState {
  const hold = findHold(state, 'mass_change');
  if (hold?.phase !== 'holding' || now < hold.since + MASS_CHANGE_HOLD) return state;
  const { older } = state.lanes;
  const lanes = { ...state.lanes, older: { ...older, dueAt: Math.min(older.dueAt, now), round: undefined } };
  return { ...setPhase(state, hold, 'publishing', now), lanes };
}

/** Whether a reading differs from the snapshot in something that is published, without a newer stamp. */
export function isUnstamped({ snapshot, reading, compared }: ComparedReading): boolean {
  if (snapshot === undefined || snapshot.removedAt !== undefined || compared.verdict !== 'differs')
    return false;
  if (reading.updatedAt > snapshot.updatedAt) return false;
  return (
    hasEvents(compared) ||
    Object.keys(compared.save.snapshot.absences).some((key) => !(key in snapshot.absences))
  );
}
