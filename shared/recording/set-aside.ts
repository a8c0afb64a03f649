// Groups whose present state is not known: their row can't be read or stored, or their look-up fails. They are noted
// with the reason and their id, or a digest of the row if it has no id. The rest of their page is recorded.
import type { Instant } from '../instant.ts';
import { MAX_SET_ASIDE } from '../limits.ts';
import type { UnreadableRow } from '../returns-service/parse-return-group.ts';
import type { SetAside, SourceState } from '../source/source-state.ts';

/** Returns the state with the row noted or its note refreshed; the same state if there is no room for a note. */
export function noteSetAside(
  state: SourceState,
  { id: groupId, reason, digest }: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>,
  now: Instant,
): SourceState {
  const isSame = (known: SetAside) =>
    groupId === undefined ? known.digest === digest : known.groupId === groupId;
  const known = state.setAside.find(isSame);
  const others = state.setAside.filter((other) => !isSame(other));
  if (others.length >= MAX_SET_ASIDE) return state;
  return {
    ...state,
    setAside: [...others, { groupId, reason, digest, since: known?.since ?? now, seenAt: now }],
  };
}

/** Returns the state without the notes of groups that were read. */
export function takeBack(state: SourceState, groupIds: ReadonlySet<number>): SourceState {
  return keepOnly(state, ({ groupId }) => groupId === undefined || !groupIds.has(groupId));
}

/** Returns the state without the rows that no walk has seen again: they were removed or have changed. */
export function forgetVanished(state: SourceState, walkedAt: Instant | undefined): SourceState {
  return keepOnly(state, ({ seenAt }) => seenAt >= (walkedAt ?? 0));
}

function keepOnly(state: SourceState, isKept: (note: SetAside) => boolean): SourceState {
  const setAside = state.setAside.filter(isKept);
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}
