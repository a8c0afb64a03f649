// Ends a hold for an operator: `release` publishes what is held, `adopt` takes what is held over without events. A hold
// is named by its number, so that an old command never ends a later hold. A second command changes nothing.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Hold } from './hold.ts';
import { endHold, setPhase } from './holds.ts';

export type HoldCommand = 'release' | 'adopt';

export type Release =
  /** The state to save, on condition that no other was saved since. */
  | { readonly outcome: 'released'; readonly hold: Hold; readonly state: SourceState }
  | { readonly outcome: 'released_before'; readonly hold: Hold }
  /** Only a mass change and backfill can be adopted. */
  | { readonly outcome: 'not_adoptable'; readonly hold: Hold }
  /** It ended by itself, or was released and is over. */
  | { readonly outcome: 'over' }
  /** There never was a hold with this number. */
  | { readonly outcome: 'unknown' };

/** @param now by the local clock */
export function releaseHold(
  state: SourceState,
  number: number,
  now: Instant,
  command: HoldCommand = 'release',
): Release {
  const hold = state.holds.find((known) => known.number === number);
  if (hold === undefined) return { outcome: number <= state.lastHold ? 'over' : 'unknown' };
  if (hold.phase !== 'holding') return { outcome: 'released_before', hold };
  if (command === 'adopt' && !isAdoptable(hold)) return { outcome: 'not_adoptable', hold };
  return { outcome: 'released', hold, state: actAtOnce(released(state, hold, now, command), now) };
}

export function isAdoptable({ kind }: Pick<Hold, 'kind'>): boolean {
  return kind === 'mass_change' || kind === 'backfill';
}

function released(state: SourceState, hold: Hold, now: Instant, command: HoldCommand): SourceState {
  if (hold.kind === 'other_store') return { ...endHold(state, hold.kind), seenWith: hold.accessHash };
  return setPhase(state, hold, command === 'adopt' ? 'adopting' : 'publishing', now);
}

/**
 * Walks begin at once. A tick under way keeps its lease, and can't save any more: overtaken by another one before its
 * end, both together would exceed the budget.
 */
function actAtOnce(state: SourceState, now: Instant): SourceState {
  const { late, recent, older } = state.lanes;
  const again = (lane: typeof recent) => ({ ...lane, dueAt: Math.min(lane.dueAt, now), round: undefined });
  return { ...state, lanes: { late, recent: again(recent), older: again(older) } };
}
