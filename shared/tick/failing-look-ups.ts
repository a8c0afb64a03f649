// Which look-ups are made while look-ups fail. One that fails may take a whole tick, and a walk that is cut off reads the
// same range again, so each walk makes it once. Groups whose look-ups fail are looked up less often the more they are,
// and the failures of some say nothing about the others. If the look-ups of one group after another fail, those of all
// groups probably do: then one is made every ten minutes, to learn whether they work again. Pure.
import { type Instant, MINUTE } from '../instant.ts';
import type { FailingLookUps, SourceState } from '../source/source-state.ts';

/** First failures in a row after which the look-ups of all groups probably fail. */
const MOST_IN_ROW = 3;
/** With no more failing groups than this, each walk tries all of them again. */
const FEW_FAILING = 2;
/** The time between two look-ups that probably fail: each may take a tick. */
const PROBE_EVERY = 10 * MINUTE;
/** Failing groups that are remembered. */
const MOST_FAILING = 100;
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
    const firstFailures = failing.map(({ since }) => since).filter((since) => since <= now);
    return state.failingLookUps.inRow < MOST_IN_ROW || now - Math.max(...firstFailures) >= PROBE_EVERY;
  }
  const pause = PROBE_EVERY * Math.max(0, failing.length - FEW_FAILING);
  return known.at > now || (known.at < walkBegunAt && now - known.at >= pause);
}

/** Whether it is tried to confirm a removal by the look-up of another group. */
export function isConfirmationTried(
  { failingLookUps: { unconfirmedAt } }: SourceState,
  now: Instant,
): boolean {
  return unconfirmedAt === undefined || unconfirmedAt > now || now - unconfirmedAt >= PROBE_EVERY;
}

/** Whether the end of a tick has cut this group's look-up off before. */
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
  return withFailing(state, { groups: [...others, noted].slice(-MOST_FAILING), inRow });
}

/** If the look-up of a failing group is answered, the others may be answered as well. */
export function noteAnswer(state: SourceState, groupId: number): SourceState {
  const { groups, cutOff, inRow } = state.failingLookUps;
  const isFailing = failingIn(state).some((each) => each.groupId === groupId);
  if (!isFailing && inRow === 0 && !cutOff.includes(groupId)) return state;
  return withFailing(state, {
    groups: isFailing ? [] : groups,
    cutOff: cutOff.filter((other) => other !== groupId),
    inRow: 0,
  });
}

export function noteUnconfirmed(state: SourceState, now: Instant): SourceState {
  return withFailing(state, { unconfirmedAt: now });
}

/** Forgets what does not count any more, as a walk over all groups begins. */
export function forgetOldFailures(state: SourceState): SourceState {
  return withFailing(state, { groups: failingIn(state), cutOff: [] });
}

/** A group that was read since is not set aside any more. */
function failingIn({ failingLookUps, setAside }: SourceState): FailingLookUps['groups'] {
  if (failingLookUps.groups.length === 0) return [];
  const ids = new Set(setAside.map(({ groupId }) => groupId));
  return failingLookUps.groups.filter(({ groupId }) => ids.has(groupId));
}

function withFailing(state: SourceState, changes: Partial<FailingLookUps>): SourceState {
  return { ...state, failingLookUps: { ...state.failingLookUps, ...changes } };
}
