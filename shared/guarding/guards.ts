// The guards of a page, before anything of it is saved: each holds back what looks like a fault of the service.
import { idOf } from '../comparing/snapshot.ts';
import { timeOfTwoWalks } from '../source/rhythms.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import { isWalk, type LaneName, type SourceState } from '../source/source-state.ts';
import { admitBackfill, isFirstSeenLate } from './backfill.ts';
import { brake, brakeOlder, isJudged, isUnstamped } from './brake.ts';
import {
  type CompareAgain,
  type ComparedReading,
  differingOf,
  isCounted,
  isOlder,
  removedEntities,
  type Unchanged,
} from './compared-reading.ts';
import type { HoldSample } from './hold.ts';
import { findHold, holdBack } from './holds.ts';
import { admitRemovals } from './removals.ts';
import { sampleChange, sampleFirstSight } from './sample-change.ts';

/** Returns the readings of a page that may be saved, each as it may be. */
export type Guards = (
  page: readonly (ComparedReading | Unchanged)[],
  lane: LaneName,
) => Promise<ComparedReading[]>;

export function createGuards(
  { settings, memory, clock }: SourceSession,
  cell: SourceCell,
  again: CompareAgain,
): Guards {
  /** The groups that each hold has kept back, as far as this process knows. */
  const heldBy = new Map<number, Set<number>>();

  async function judge(page: readonly (ComparedReading | Unchanged)[], lane: LaneName): Promise<void> {
    const differing = differingOf(page);
    const older = differing.filter(isOlder);
    if (older.length > 0) await saveHold((state) => brakeOlder(state, older, clock.now()));
    if (!isWalk(lane) || !isJudged(cell.state, lane, timeOfTwoWalks(cell.state, settings), clock.now()))
      return;
    const differs = page.flatMap((each) => {
      if (each.compared === 'unchanged') return false;
      return isCounted(each) ? isUnstamped(each) : [];
    });
    await saveHold((state) => brake(state, differs, differing.filter(isUnstamped), clock.now()));
  }

  /** Saves a hold before anything of the answer that began it. */
  async function saveHold(judged: (state: SourceState) => SourceState): Promise<void> {
    const before = cell.state.lastHold;
    cell.update(judged);
    if (cell.state.lastHold !== before) await cell.save();
  }

  /** Without groups that were created before the feed began, if too many are seen for the first time. */
  function admitOld(differing: readonly ComparedReading[], lane: LaneName): readonly ComparedReading[] {
    const old = differing.filter((each) => isFirstSeenLate(each, cell.state));
    if (old.length === 0) return differing;
    const ids = old.map(({ reading }) => idOf(reading));
    const { state, isAdmitted } = admitBackfill(cell.state, ids.length, isWalk(lane), clock.now());
    cell.update(() => state);
    if (isAdmitted) return differing;
    hold('backfill', ids, ids.map(sampleFirstSight));
    return differing.filter((each) => !old.includes(each));
  }

  /** The reading as it may be saved; none if it is held as a mass change. */
  function admitChange(each: ComparedReading): ComparedReading[] {
    const { phase } = findHold(cell.state, 'mass_change') ?? {};
    if (phase === undefined || !(isUnstamped(each) || isOlder(each))) return [each];
    if (phase === 'adopting' && !isOlder(each)) return [again(each, { adopts: true })];
    if (phase !== 'holding') return [each];
    const id = idOf(each.reading);
    hold('mass_change', [id], sampleChange(each));
    memory.forget(id);
    return [];
  }

  /** The reading without its removals if these are held. */
  function admitRemoved(each: ComparedReading, lane: LaneName): ComparedReading {
    const removed = removedEntities(each);
    if (removed === 0) return each;
    const removals = cell.state.removals + removed;
    const { state, isAdmitted } = admitRemovals(cell.state, removals, sampleChange(each), clock.now());
    // Polls find the same entities again and again while they are held.
    cell.update(() => (isAdmitted || isWalk(lane) ? { ...state, removals } : state));
    return isAdmitted ? each : again(each, { keepsMissing: true });
  }

  /** Adds groups to a hold, which counts each once. */
  function hold(
    kind: 'mass_change' | 'backfill',
    ids: readonly number[],
    samples: readonly HoldSample[],
  ): void {
    const { number = 0 } = findHold(cell.state, kind) ?? {};
    const held = new Set([...(heldBy.get(number) ?? []), ...ids]);
    heldBy.set(number, held);
    cell.update((state) => holdBack(state, { kind, count: held.size, samples }, clock.now()));
  }

  return async (page, lane) => {
    await judge(page, lane);
    return admitOld(differingOf(page), lane)
      .flatMap(admitChange)
      .map((each) => admitRemoved(each, lane));
  };
}
