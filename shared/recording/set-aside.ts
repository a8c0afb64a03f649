// Groups whose present state is not known: their row can't be read or stored, or their look-up fails. They are noted
// with the reason and their id, or a digest of the row if it has no id. The rest of their page is recorded.
import type { Instant } from '../instant.ts';
import { MAX_SET_ASIDE } from '../limits.ts';
import { walkedAt } from '../position/position.ts';
import type { SetAside, SourceState } from '../source/source-state.ts';

type Row = Pick<SetAside, 'groupId' | 'reason' | 'digest'>;

/** Stands for all rows beyond those that are named: walks alone end it. */
const OTHERS: Row = { groupId: undefined, reason: 'more than are named', digest: 'others' };

/** Returns the state with the row noted, or its note refreshed. */
export function noteSetAside(state: SourceState, row: Row, now: Instant): SourceState {
  const named = state.setAside.filter((known) => known.digest !== OTHERS.digest && !isOf(known, row));
  const next = named.length < MAX_SET_ASIDE ? row : OTHERS;
  const { groupId, reason, digest } = next;
  const since = state.setAside.find((known) => isOf(known, next))?.since ?? now;
  const others = state.setAside.filter((known) => !isOf(known, next));
  return { ...state, setAside: [...others, { groupId, reason, digest, since, seenAt: now }] };
}

function isOf({ groupId, digest }: SetAside, row: Row): boolean {
  return row.groupId === undefined ? digest === row.digest : groupId === row.groupId;
}

/** Returns the state without the notes of groups that were read later. @param at the time of the answer */
export function takeBack(state: SourceState, groupIds: ReadonlySet<number>, at: Instant): SourceState {
  const isRead = ({ groupId, seenAt }: SetAside) =>
    groupId !== undefined && groupIds.has(groupId) && seenAt <= at;
  return keepOnly(state, (note) => !isRead(note));
}

/**
 * Returns the state without the rows that walks have not seen again: they are gone or have changed. Walks that left
 * something out say nothing, nor do they of groups that are still looked up.
 */
export function forgetVanished(state: SourceState): SourceState {
  const { position, lookUps } = state;
  if (position.places.length > 0) return state;
  const asked = new Set<number | undefined>(lookUps.map(({ groupId }) => groupId));
  return keepOnly(state, ({ groupId, seenAt }) => seenAt >= (walkedAt(position) ?? 0) || asked.has(groupId));
}

function keepOnly(state: SourceState, isKept: (note: SetAside) => boolean): SourceState {
  const setAside = state.setAside.filter(isKept);
  return setAside.length === state.setAside.length ? state : { ...state, setAside };
}
