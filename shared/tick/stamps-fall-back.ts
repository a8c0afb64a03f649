// Stamps may fall back: the clock that assigns them ran ahead and is set right, or rows name another zone from now on.
// Every later stamp then lies before the settled instant, so polls ask for none of them. Either of two signs
// shows it. (1) Stamps name their zone, and the settled instant is later than the service's time: it is set back. (2)
// Several groups changed, polls saw none of them, and walks found them with stamps that polls had settled: the stamps'
// clock is learned again from what was found, and polls begin there. A stamp further back than any clock or zone can
// fall shows nothing of the kind: a job may give old returns the stamps that they should have had.
import { DAY, type Instant, MINUTE } from '../instant.ts';
import { CLOSED_FOR_SURE_AFTER } from '../limits.ts';
import { agreedLead, GROUPS_THAT_AGREE, stampsTime } from '../reading/stamps-clock.ts';
import type { SourceState, StampsState } from '../source/source-state.ts';

/**
 * How long a change that polls passed over counts: three within this time are no coincidence, even in a quiet store.
 */
const PASSED_COUNTS_FOR = 7 * DAY;

/** A group that changed and got a newer stamp. */
export type FoundChange = StampsState['passed'][number];

/**
 * Returns the state after a walk found a change.
 *
 * @param lookback in the unit of Instant
 */
export function notePassedByPolls(state: SourceState, found: FoundChange, lookback: number): SourceState {
  const isTooOld = found.updatedAt < found.receivedAt - CLOSED_FOR_SURE_AFTER;
  if (found.updatedAt >= state.settledThrough || isTooOld) return state;
  const others = state.stamps.passed.filter(
    (other) => other.groupId !== found.groupId && other.receivedAt >= found.receivedAt - PASSED_COUNTS_FOR,
  );
  const passed = [...others, found];
  if (passed.length < GROUPS_THAT_AGREE) return { ...state, stamps: { ...state.stamps, passed } };
  return learnedAgain(state, passed, lookback);
}

/**
 * Returns the state after a poll found a change. The poll did not ask for stamps before the settled instant. If the
 * change has one, the service reads filters in another zone, and shows changes too late.
 *
 * @param lookback in the unit of Instant
 */
export function noteFoundByPoll(state: SourceState, found: FoundChange, lookback: number): SourceState {
  const isLate = found.updatedAt < state.settledThrough - MINUTE;
  return isLate ? notePassedByPolls(state, found, lookback) : noteSeenByPoll(state);
}

/** Returns the state after a poll found a change: polls see what changes. */
function noteSeenByPoll(state: SourceState): SourceState {
  return state.stamps.passed.length === 0 ? state : { ...state, stamps: { ...state.stamps, passed: [] } };
}

function learnedAgain(state: SourceState, passed: readonly FoundChange[], lookback: number): SourceState {
  const { stamps } = state;
  const leads = passed.map((each) => ({ groupId: each.groupId, lead: leadOf(each) }));
  const earliest = Math.min(...passed.map(({ updatedAt }) => updatedAt));
  const latestReceipt = Math.max(...passed.map(({ receivedAt }) => receivedAt));
  const mostAheadFirst = [...passed].sort((a, b) => leadOf(b) - leadOf(a));
  const [mostAhead] = mostAheadFirst;
  const changed = mostAheadFirst.map(({ groupId, updatedAt }) => ({ groupId, updatedAt }));
  return {
    ...state,
    settledThrough: Math.max(earliest, latestReceipt - CLOSED_FOR_SURE_AFTER) - lookback,
    stamps: {
      ...stamps,
      leads,
      // The three may only have shown late: a lower lead would not reach the stamps of the next changes.
      lead: Math.max(stamps.lead, agreedLead(leads.map(({ lead }) => lead))),
      // And rows that did not change since then may not move the clock ahead again.
      fall: {
        // The next three of the same walk find the clock set back already.
        from: Math.max(stampsTime(stamps, latestReceipt) ?? latestReceipt, stamps.fall?.from ?? 0),
        lead: Math.max(...leads.map(({ lead }) => lead)),
      },
      newest: mostAhead?.updatedAt,
      newestReceivedAt: mostAhead?.receivedAt ?? 0,
      passed: [],
      pollsInDoubt: { changed, unansweredSince: undefined },
    },
  };
}

function leadOf({ updatedAt, receivedAt }: FoundChange): number {
  return updatedAt - receivedAt;
}

/**
 * Returns the state with the settled instant set back if that is later than the service's time.
 *
 * @param latest the latest that the service's time can be now
 */
export function notBeyondNow(state: SourceState, latest: Instant, lookback: number): SourceState {
  if (!state.stamps.zoned || state.settledThrough <= latest) return state;
  return { ...state, settledThrough: latest - lookback };
}
