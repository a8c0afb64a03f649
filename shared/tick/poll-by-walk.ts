// A poll that has something to prove asks for a walk over all groups instead, where such a walk fits a cycle and one of
// these is true: it takes no more requests than a poll by update, it is due as often, or the list has no order. The end
// of the walk then settles as much as a poll. Never before the baseline is done, nor while there are holds.
import { DAY, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import { settledByRead } from '../reading/stamps-clock.ts';
import { withCycle } from '../source/cycle-state.ts';
import { fitsCycle, requestsOfAll } from '../source/reconciliation-plan.ts';
import type { TickRun } from './tick-run.ts';

/** With a longer cycle than this, walks are not wanted more often. */
const LONGEST_CYCLE = DAY;
/** If walks have settled nothing for so long, or for two intervals if that is longer, polls read by update again. */
const SETTLED_WITHIN = 2 * MINUTE;

/** Whether the next poll is a walk, unless it expects little. If walks don't reach their end, polls read by update. */
export function pollsByWalk({ state, session }: TickRun): boolean {
  const { clock, list, polling, settings } = session;
  const isPossible =
    state.baseline.status === 'completed' &&
    state.guarding.holds.length === 0 &&
    settings.reconcileMs * MILLISECOND <= LONGEST_CYCLE &&
    fitsCycle(state, settings);
  const isDueAnyway = settings.reconcileMs <= settings.intervalMs;
  const isCheaper = list.isUnordered || isDueAnyway || requestsOfAll(state) <= polling.requests;
  const patience = Math.max(SETTLED_WITHIN, 2 * settings.intervalMs * MILLISECOND);
  return isPossible && isCheaper && clock.elapsed() - polling.settledAt <= patience;
}

/** Records how many requests a poll by update took; one that did not complete would have taken more. */
export function notePollByUpdate({ session }: TickRun, requests: number, isComplete: boolean): void {
  const most = isComplete ? requests : Math.max(requests, session.polling.requests);
  session.polling = { ...session.polling, requests: most, settledAt: session.clock.elapsed() };
}

/** Asks for a walk over all groups, in place of covering what was updated. */
export function askForWalk(run: TickRun): void {
  run.update((state) => withCycle(state, 'all', { ...state.reconciliation.all, isAsked: true }));
}

/**
 * Settles the time up to the lookback before the start of a walk over all groups: the walk read every state that showed
 * until that start. Settles nothing if `reconciledThrough` is undefined.
 */
export function settleByWalk(run: TickRun, reconciledThrough: Instant | undefined): void {
  const { session, stamps } = run;
  if (reconciledThrough === undefined || run.state.read.leftNewer) return;
  const lookback = session.settings.lookbackMs * MILLISECOND;
  const settledThrough = settledByRead(stamps, reconciledThrough, lookback);
  if (settledThrough === undefined) return;
  // If polls read by update, only they show whether they still work.
  run.isComplete ||= run.pollFailure === undefined && !run.pollsAreBlind && pollsByWalk(run);
  session.polling = { ...session.polling, settledAt: session.clock.elapsed() };
  if (settledThrough > run.state.settledThrough) run.update((state) => ({ ...state, settledThrough }));
}
