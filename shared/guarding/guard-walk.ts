// Changes that a walk finds and that no stamp tells of wait until their range was read, and are then judged together:
// what an improbable share of all groups does at once is no change but another way to answer, and none of it is told.
// Judged page by page, half of such a fault would be told before it shows.
import type { Instant } from '../instant.ts';
import { MAX_REMOVALS, MAX_WAITING_CHANGES } from '../limits.ts';
import type { Tier } from '../reconciliation-plan.ts';
import type { Recorder } from '../record-pages.ts';
import type { CycleState, SourceState } from '../source-state.ts';
import { findHold, findPermit, holdBack, usePermit } from './holds.ts';
import { type Differing, isImprobable, learnUsual } from './judge-changes.ts';
import { type ComparedReading, isUnstamped, type ReadingGuard, tellsAnything } from './reading-guard.ts';

const GUARD = 'changed_without_stamps';

export interface WalkGuard extends ReadingGuard {
  /** Saves what waited, or holds it. Call it when a range was read, however that ended. */
  conclude(recorder: Pick<Recorder, 'record'>): Promise<void>;
}

export interface GuardedWalk {
  state: SourceState;
  readonly now: () => Instant;
  readonly admitsRemovals: (entities: number) => boolean;
}

/** @param from where the walk's next range begins */
export function createWalkGuard(run: GuardedWalk, tier: Tier, from: Instant | undefined): WalkGuard {
  const compared = new Set<number>();
  const unstamped = new Set<number>();
  const waiting = new Map<number, ComparedReading>();
  let [counted, countedUnstamped] = [0, 0];

  function admits(each: ComparedReading): boolean {
    if (each.snapshot === undefined || each.snapshot.removedAt !== undefined) return true;
    const { groupId } = each.snapshot;
    compared.add(groupId);
    // A group that is read again counts as its last reading.
    waiting.delete(groupId);
    if (!isUnstamped(each)) return true;
    unstamped.add(groupId);
    if (!tellsAnything(each.compared)) return true;
    waiting.set(groupId, each);
    return false;
  }

  /** Adds what came since the last time to the cycle. */
  function count(cycle: CycleState): CycleState {
    const more = compared.size - counted;
    const moreUnstamped = unstamped.size - countedUnstamped;
    [counted, countedUnstamped] = [compared.size, unstamped.size];
    return { ...cycle, compared: cycle.compared + more, unstamped: cycle.unstamped + moreUnstamped };
  }

  return {
    admits,
    admitsRemovals: run.admitsRemovals,
    async conclude(recorder) {
      if (counted === compared.size && waiting.size === 0) return;
      const { reconciliation, baseline } = run.state;
      const cycle = count(reconciliation[tier]);
      run.state = { ...run.state, reconciliation: { ...reconciliation, [tier]: cycle } };
      const duration = run.now() - (cycle.previousStartedAt ?? baseline.startedAt);
      const range = { compared: compared.size, unstamped: unstamped.size, duration };
      const judged = judge(run.state, tier, { range, cycle: { ...cycle, duration }, from, now: run.now() }, waiting.size);
      run.state = judged.state;
      const changes = [...waiting.values()];
      waiting.clear();
      if (judged.isAdmitted) await recorder.record(changes);
    },
  };
}

interface Found {
  readonly range: Differing;
  /** Of the whole cycle so far. */
  readonly cycle: Differing;
  readonly from: Instant | undefined;
  readonly now: Instant;
}

/** Whether so many changes that wait may be told, and the state that remembers it. */
function judge(state: SourceState, tier: Tier, found: Found, waiting: number) {
  const { range, cycle, from, now } = found;
  const { usual } = state.guarding;
  const isMet = [range, cycle].some((differing) => isImprobable(differing, usual, now));
  const permit = findPermit(state, GUARD, tier);
  const isPermitted = permit !== undefined && cycle.unstamped <= permit.suspects + MAX_REMOVALS;
  const isStanding = findHold(state, GUARD, tier) !== undefined;
  if (waiting > 0 && (isStanding || (isMet && !isPermitted))) {
    const held = holdBack(state, { guard: GUARD, tier, suspects: waiting, isMet, from }, now);
    return { state: held, isAdmitted: false };
  }
  if (isStanding) return { state, isAdmitted: true };
  const learned = [range, cycle].reduce((known, differing) => learnUsual(differing, known, now), usual);
  const used = isMet && permit !== undefined ? usePermit(state, permit, 0) : state;
  return { state: { ...used, guarding: { ...used.guarding, usual: learned } }, isAdmitted: true };
}

/** Once a walk was finished, what it has shown is what is usual. */
export function finishLearning(state: SourceState): SourceState {
  const { usual } = state.guarding;
  return usual === undefined
    ? state
    : { ...state, guarding: { ...state.guarding, usual: { ...usual, isWhole: true } } };
}

/** Whether what polls find without a newer stamp is left to the walks, which hold it. */
export function areUnstampedHeld(state: SourceState): boolean {
  return findHold(state, GUARD) !== undefined;
}
