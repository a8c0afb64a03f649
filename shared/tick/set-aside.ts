// Groups whose present state is not known: their row can't be read or stored, their look-up fails or is not made, or their
// removal can't be confirmed. They are noted with the reason and their id, or a digest of the row if it has no id. The
// rest of their page is recorded. They count against the source's completeness until they can be read again.
import type { Instant } from '../instant.ts';
import { MAX_SET_ASIDE } from '../limits.ts';
import type { UnreadableRow } from '../returns-service/parse-return-group.ts';
import type { SetAside, SourceState } from '../source/source-state.ts';

/**
 * Returns the state with the row noted or its note refreshed; the same state if there is no room for a note.
 *
 * @param unreadSince since when the group could not be read or stored; used if it has no note
 */
export function noteSetAside(
  state: SourceState,
  row: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>,
  now: Instant,
  unreadSince: Instant = now,
): SourceState {
  const isSame = (known: SetAside) =>
    row.id === undefined ? known.digest === row.digest : known.groupId === row.id;
  const known = state.setAside.find(isSame);
  const others = state.setAside.filter((other) => !isSame(other));
  if (others.length >= MAX_SET_ASIDE) return state;
  const { id: groupId, reason, digest } = row;
  const noted = { groupId, reason, digest, since: known?.since ?? unreadSince, seenAt: now };
  return { ...state, setAside: [...others, noted] };
}

/** Returns the state with a note of a group that was not looked up, because look-ups fail; its reason stays if it has one. */
export function noteNotLookedUp(state: SourceState, groupId: number, now: Instant): SourceState {
  const known = state.setAside.find((note) => note.groupId === groupId);
  const { reason, digest } = known ?? {
    reason: 'it was not looked up, because look-ups by id fail',
    digest: '',
  };
  return noteSetAside(state, { id: groupId, reason, digest }, now);
}

/** Returns the state with refreshed notes of the groups that were shown and not recorded. */
export function keepSetAside(state: SourceState, groupIds: readonly number[], now: Instant): SourceState {
  if (state.setAside.length === 0) return state;
  const kept = new Set<number | undefined>(groupIds);
  const setAside = state.setAside.map((note) => (kept.has(note.groupId) ? { ...note, seenAt: now } : note));
  return { ...state, setAside };
}

/** Returns the state without the rows that a whole cycle did not see again: they were removed or have changed. */
export function forgetVanished(state: SourceState, cycleStartedAt: Instant): SourceState {
  const setAside = state.setAside.filter(({ since, seenAt = since }) => seenAt >= cycleStartedAt);
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}

/** Returns the state without the notes of groups that were read. */
export function takeBack(state: SourceState, groupIds: readonly number[]): SourceState {
  if (state.setAside.length === 0) return state;
  const read = new Set(groupIds);
  const setAside = state.setAside.filter(({ groupId }) => groupId === undefined || !read.has(groupId));
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}
