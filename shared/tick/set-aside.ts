// Groups that can't be read: noted with their id or, failing that, what they look like, and the reason. The rest of
// their page goes on. They count against the source's completeness until they can be read again.
import type { Instant } from '../instant.ts';
import { MAX_SET_ASIDE } from '../limits.ts';
import type { ReadableRow, RowReading, UnreadableRow } from '../returns-service/parse-return-group.ts';
import type { SetAside, SourceState } from '../source/source-state.ts';

/**
 * The state with the row noted, or with the note that it was met again; the same state if no more are kept.
 *
 * @param unreadSince since when the group could not be read or stored, if it has no note and that is known
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

/** The state with the group's note as fresh as if it had been met: it was not looked at, so nothing speaks for it. */
export function keepSetAside(state: SourceState, groupId: number, now: Instant): SourceState {
  const setAside = state.setAside.map((note) => (note.groupId === groupId ? { ...note, seenAt: now } : note));
  return { ...state, setAside };
}

/** The state without those rows that a whole cycle, begun then, has not met again: they are gone, or others now. */
export function forgetVanished(state: SourceState, cycleStartedAt: Instant): SourceState {
  const setAside = state.setAside.filter(({ since, seenAt = since }) => seenAt >= cycleStartedAt);
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}

/** The state without those groups that have become readable. */
export function takeBack(state: SourceState, rows: readonly RowReading[]): SourceState {
  if (state.setAside.length === 0) return state;
  const readable = new Set(
    rows.filter((row): row is ReadableRow => row.kind === 'readable').map((row) => row.group.id),
  );
  const setAside = state.setAside.filter(({ groupId }) => groupId === undefined || !readable.has(groupId));
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}
