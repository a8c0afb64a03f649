// The state while it is in doubt whether polls can see changes (blind-polls.ts asks): groups that changed, to be asked
// for.
import { HOUR, type Instant, MILLISECOND } from '../instant.ts';
import { GROUPS_THAT_AGREE } from '../reading/stamps-clock.ts';
import type { SourceState } from '../source/source-state.ts';

/** If no check gets an answer for this long, the next poll that finds a change ends the doubt. */
const PATIENCE = 2 * HOUR;

export type PollsInDoubt = NonNullable<SourceState['stamps']['pollsInDoubt']>;
export type ChangedGroup = PollsInDoubt['changed'][number];

/** @param pollsInDoubt undefined if polls see changes */
export function withDoubt(state: SourceState, pollsInDoubt: PollsInDoubt | undefined): SourceState {
  return { ...state, stamps: { ...state.stamps, pollsInDoubt } };
}

/** Returns the doubt after a check of its first group that got no answer: the next check is of another group. */
export function unanswered({ stamps, lastSlot }: SourceState): PollsInDoubt | undefined {
  const { pollsInDoubt } = stamps;
  if (pollsInDoubt === undefined) return undefined;
  const [first, ...others] = pollsInDoubt.changed;
  const changed = first === undefined ? others : [...others, first];
  const slot = slotOf(lastSlot);
  // A noted slot may be of a clock that was ahead.
  return { changed, unansweredSince: Math.min(pollsInDoubt.unansweredSince ?? slot, slot) };
}

/**
 * Returns the state after a group changed: it is asked for next. The group that was asked for most recently is dropped if there are three.
 */
export function noteChangeInDoubt(
  state: SourceState,
  { groupId, updatedAt }: ChangedGroup,
  through: 'poll' | 'walk',
): SourceState {
  const { pollsInDoubt } = state.stamps;
  if (pollsInDoubt === undefined) return state;
  const { changed, unansweredSince = Number.POSITIVE_INFINITY } = pollsInDoubt;
  if (through === 'poll' && slotOf(state.lastSlot) - unansweredSince >= PATIENCE)
    return withDoubt(state, undefined);
  const others = changed.filter((group) => group.groupId !== groupId).slice(0, GROUPS_THAT_AGREE - 1);
  return withDoubt(state, { ...pollsInDoubt, changed: [{ groupId, updatedAt }, ...others] });
}

function slotOf(lastSlot: number): Instant {
  return lastSlot * MILLISECOND;
}
