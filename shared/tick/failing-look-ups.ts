// Which look-ups are made while look-ups fail. One that fails may take a whole tick, and a walk that is cut off reads
// the same range again, so each walk makes it once. The more groups fail, the less often the feed looks each of them up.
// A group that fails again says nothing about the others. But if three groups in a row fail for the first time,
// the look-ups of all groups probably fail: then one is made after a minute, and later every ten minutes, to learn
// whether they work again. Pure.
import { HOUR, type Instant, MINUTE } from '../instant.ts';
import { MAX_SET_ASIDE } from '../limits.ts';
import type { FailingLookUps, SourceState } from '../source/source-state.ts';

type FailingGroup = FailingLookUps['groups'][number];

/** First failures in a row after which the look-ups of all groups probably fail. */
const MOST_IN_ROW = 3;
/** How long no other group is looked up then; it doubles with each further first failure, up to PROBE_EVERY. */
const FIRST_PAUSE = MINUTE;
/** With no more failing groups than this, each walk tries all of them again. */
const FEW_FAILING = 2;
/** The time between two look-ups that probably fail: each may take a tick. */
const PROBE_EVERY = 10 * MINUTE;
/** How long ticks keep trying to confirm a removal: a walk that skips it may come back only after days. */
const CONFIRMED_WITHIN = 5 * MINUTE;
/** Notes of groups whose request was cut off. A further note replaces the oldest: that group is tried once more. */
const MOST_CUT_OFF = 10;

/**
 * Whether a walk looks this group up.
 *
 * @param walkBegunAt when the walk's cycle began
 * @param now by the same clock as the notes; notes of a clock that was ahead do not count
 */
export function isLookUpMade(
  state: SourceState,
  groupId: number,
  walkBegunAt: Instant,
  now: Instant,
): boolean {
  const failing = failingIn(state);
  const known = failing.find((each) => each.groupId === groupId);
  if (known === undefined) {
    const further = state.failingLookUps.inRow - MOST_IN_ROW;
    const first = failing.map(({ since }) => since);
    return further < 0 || areOlder(first, Math.min(PROBE_EVERY, FIRST_PAUSE * 2 ** further), now);
  }
  if (known.at > now) return true;
  const pause = PROBE_EVERY * Math.max(0, failing.length - FEW_FAILING);
  return known.at < walkBegunAt && (now - known.at >= pause || isNext(known, failing, now));
}

/** If many failed at once, none is due soon. So every ten minutes one of the half tried longest ago is due. */
function isNext(known: FailingGroup, failing: readonly FailingGroup[], now: Instant): boolean {
  const last = failing.map(({ at }) => at);
  return last.filter((at) => at < known.at).length <= last.length / 2 && areOlder(last, PROBE_EVERY, now);
}

function areOlder(times: readonly Instant[], age: number, now: Instant): boolean {
  return times.every((time) => time > now || now - time >= age);
}

/** Whether another group is looked up to confirm a removal. */
export function isConfirmationTried(state: SourceState, now: Instant): boolean {
  const { unconfirmed } = state.failingLookUps;
  return (
    unconfirmed === undefined || !isUnconfirmedForLong(state) || areOlder([unconfirmed.at], PROBE_EVERY, now)
  );
}

/** Whether a walk goes on without the confirmation of a removal: it was tried for minutes. */
export function isUnconfirmedForLong({ failingLookUps: { unconfirmed } }: SourceState): boolean {
  return unconfirmed !== undefined && unconfirmed.at - unconfirmed.since >= CONFIRMED_WITHIN;
}

export function noteUnconfirmed(state: SourceState, now: Instant): SourceState {
  const { unconfirmed } = state.failingLookUps;
  const isSame = unconfirmed !== undefined && Math.abs(now - unconfirmed.at) < HOUR;
  const since = isSame ? Math.min(unconfirmed.since, now) : now;
  return withFailing(state, { unconfirmed: { since, at: now } });
}

export function noteConfirmed(state: SourceState): SourceState {
  return state.failingLookUps.unconfirmed === undefined
    ? state
    : withFailing(state, { unconfirmed: undefined });
}

/** Whether a request about this group was cut off since the last walk over all groups began. */
export function wasCutOffBefore({ failingLookUps }: SourceState, groupId: number): boolean {
  return failingLookUps.cutOff.includes(groupId);
}

export function noteCutOff(state: SourceState, groupId: number): SourceState {
  const cutOff = [...state.failingLookUps.cutOff, groupId].slice(-MOST_CUT_OFF);
  return withFailing(state, { cutOff });
}

export function noteFailure(state: SourceState, groupId: number, now: Instant): SourceState {
  const failing = failingIn(state);
  const known = failing.find((each) => each.groupId === groupId);
  const others = failing.filter((each) => each !== known);
  const noted = { groupId, since: known?.since ?? now, at: now };
  const inRow = state.failingLookUps.inRow + (known === undefined ? 1 : 0);
  return withFailing(state, { groups: [...others, noted].slice(-MAX_SET_ASIDE), inRow });
}

/** If the look-up of a failing group is answered, the others may be answered as well. */
export function noteAnswer(state: SourceState, groupId: number): SourceState {
  const { groups, inRow } = state.failingLookUps;
  const isFailing = failingIn(state).some((each) => each.groupId === groupId);
  if (!isFailing && inRow === 0) return state;
  return withFailing(state, { groups: isFailing ? [] : groups, inRow: 0 });
}

/** Forgets what does not count any more, as a walk over all groups begins. */
export function forgetOldFailures(state: SourceState): SourceState {
  return withFailing(state, { groups: failingIn(state), cutOff: [] });
}

/** A group that was read since is not set aside any more, unless there was no room for its note. */
function failingIn({ failingLookUps, setAside }: SourceState): FailingLookUps['groups'] {
  const { groups } = failingLookUps;
  if (groups.length === 0 || setAside.length >= MAX_SET_ASIDE) return groups;
  const ids = new Set(setAside.map(({ groupId }) => groupId));
  return groups.filter(({ groupId }) => ids.has(groupId));
}

function withFailing(state: SourceState, changes: Partial<FailingLookUps>): SourceState {
  return { ...state, failingLookUps: { ...state.failingLookUps, ...changes } };
}
