// Learns the usual rate of changes without a newer stamp from walks and sweeps. Pure: from one state to the next.
import type { Instant } from '../instant.ts';
import { USUAL_HALVES_IN } from '../limits.ts';
import { type Tier, withCycle } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Hold } from './guarding-state.ts';
import { areUnstampedHeld, findPermit } from './holds.ts';
import { learnUsual } from './judge-changes.ts';

/**
 * Returns the state with a rate that a walk or a sweep has shown. It becomes usual at the end of the walk: a walk that
 * judged by what it learns itself would publish a fault that its first range shows in a quarter of the groups.
 */
export function noteRate(state: SourceState, tier: Tier, ratePerHour: number): SourceState {
  const cycle = state.reconciliation[tier];
  return withCycle(state, tier, { ...cycle, ratePerHour: Math.max(cycle.ratePerHour, ratePerHour) });
}

/**
 * Returns the state after a finished walk: the rate that it has shown is the usual one, unless it held changes. The rate of
 * a release is not usual yet, only that of the second one in a day. Call it before the walk's holds end.
 */
export function finishLearning(state: SourceState, tier: Tier, now: Instant): SourceState {
  const { guarding, reconciliation } = state;
  const cycle = reconciliation[tier];
  if (guarding.usual === undefined && cycle.compared === 0) return state;
  const { ratePerHour } = cycle;
  const permit = findPermit(state, 'changed_without_stamps', tier);
  const { shown, released } =
    permit === undefined
      ? { shown: areUnstampedHeld(state) ? 0 : ratePerHour, released: guarding.released }
      : afterRelease(guarding, permit, { ratePerHour, learnedAt: now });
  const usual = learnUsual(shown, guarding.usual, now);
  const learned = { ...state, guarding: { ...guarding, usual, released } };
  return withCycle(learned, tier, { ...cycle, ratePerHour: 0 });
}

type Released = NonNullable<SourceState['guarding']['released']>;

/**
 * Returns what is learned from a walk that published a release. If another release was published shortly before, the
 * smaller of both rates is usual from now on.
 */
function afterRelease({ released: before }: SourceState['guarding'], { since }: Hold, released: Released) {
  if (before === undefined || released.learnedAt - before.learnedAt > USUAL_HALVES_IN)
    return { shown: 0, released };
  const [less = 0, more = 0] = [before.ratePerHour, released.ratePerHour].toSorted((a, b) => a - b);
  // Two walks may hold one change. If this hold began before the other release was published, it is that change.
  if (since <= before.learnedAt) return { shown: 0, released: { ...before, ratePerHour: more } };
  return { shown: less, released };
}
