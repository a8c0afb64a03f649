// How many groups, or entities, may be gone in one cycle before it looks like another store.
import { MAX_REMOVAL_SHARE, MAX_REMOVALS } from '../limits.ts';
import type { SourceState } from '../source/source-state.ts';

/** By the groups that the last walk over all groups knew. */
export function mostRemovals({
  baseline,
  reconciliation,
}: Pick<SourceState, 'baseline' | 'reconciliation'>): number {
  const groups = reconciliation.all.lastKnown ?? baseline.groups;
  return Math.max(MAX_REMOVALS, Math.floor(groups * MAX_REMOVAL_SHARE));
}
