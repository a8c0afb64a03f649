// A reconciliation cycle of one tier: how it begins, continues range by range, and ends.
import { noteWholeWalk } from '../comparing/known-fields.ts';
import { areUnstampedHeld, beginCycleOfHolds, endCycleOfHolds } from '../guarding/holds.ts';
import { finishLearning } from '../guarding/learn-usual-rate.ts';
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import { MAX_SET_ASIDE, PAGE_LIMIT } from '../limits.ts';
import { forgetOldDepths } from '../reading/list-depth.ts';
import type { Interval } from '../reading/page.ts';
import { beginWholeWalk, noteReconciled } from '../reporting/source-read.ts';
import { beginCycle, type Tier, withCycle } from '../source/cycle-state.ts';
import {
  fitsCycle,
  keepsToShare,
  pauseAfterRange,
  planCycles,
  requestsOfAll,
} from '../source/reconciliation-plan.ts';
import type { SourceState } from '../source/source-state.ts';
import { forgetOldFailures } from './failing-look-ups.ts';
import { noteCutShort } from './known-pieces.ts';
import { settleByWalk } from './poll-by-walk.ts';
import type { RangeRead } from './reconcile-range.ts';
import { forgetVanished } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/** Begins the tier's cycle, unless one is under way. */
export function beginDueCycle(run: TickRun, tier: Tier, now: Instant): void {
  const { settings } = run.session;
  const cycle = run.state.reconciliation[tier];
  if (cycle.isUnderWay) return;
  run.update((state) => withCycle(state, tier, beginCycle(cycle, tier, now)));
  run.update((state) => beginCycleOfHolds(state, tier, fitsCycle(state, settings)));
  if (tier === 'all') {
    const { listDepths } = run.state;
    run.update((state) => beginWholeWalk(forgetOldFailures(withNewReadingRules(state, now))));
    if (run.state.listDepths !== listDepths) run.session.list.fullPage = undefined;
  }
  logPlan(run, tier);
}

/** R1: a short page may end a poll only if this cycle has shown that the service sends longer ones. */
function withNewReadingRules(state: SourceState, now: Instant): SourceState {
  const listDepths = forgetOldDepths(state.listDepths, now);
  // The service may now accept a page size that it once refused.
  const pageLimit = listDepths === state.listDepths ? state.pageLimit : PAGE_LIMIT;
  return { ...state, fullPageSeen: false, longestPage: 0, listDepths, pageLimit };
}

/** Moves the cycle past the range that was read, or ends it. */
export function advanceCycle(run: TickRun, tier: Tier, range: RangeRead): void {
  const { settings, serviceClock } = run.session;
  const keeps = keepsToShare(run.state, settings, tier);
  // The next cycle may be days away: read the same range again as soon as its groups may be looked up again.
  if (range.missed === 'again' && keeps) {
    pauseCycle(run, tier, serviceClock.now().atMost + settings.settleMs * MILLISECOND);
    return;
  }
  const now = serviceClock.now().atLeast;
  const cycle = run.state.reconciliation[tier];
  const requests = cycle.requests + range.sent;
  // A cycle over open groups ends once it has taken as many requests as a walk over all groups would.
  const isDone = range.isDone || (tier === 'open' && requests >= requestsOfAll(run.state));
  const pausedUntil = keeps ? now + pauseAfterRange(tier, range.sent, settings) : cycle.pausedUntil;
  const ended = {
    isUnderWay: false,
    lastRequests: requests,
    lastKnown: knownIn(run.state, tier),
    lastCompletedAt: now,
  };
  run.update((state) =>
    withCycle(state, tier, { ...cycle, ...range.position, requests, pausedUntil, ...(isDone && ended) }),
  );
  if (isDone) endCycle(run, tier, cycle.startedAt, range);
}

/** A cycle that was moved back counts some groups twice: a higher number does not show that the store has grown. */
function knownIn({ reconciliation, baseline }: SourceState, tier: Tier): number {
  const { known, isMovedBack, lastKnown = baseline.groups } = reconciliation[tier];
  return isMovedBack ? Math.min(known, lastKnown) : known;
}

function endCycle(run: TickRun, tier: Tier, startedAt: Instant, { covered }: RangeRead): void {
  const { settings, serviceClock } = run.session;
  // Most open groups are looked up one by one, which shows no order.
  if (tier !== 'open') concludeShape(run);
  warnOfOverrun(run, tier, serviceClock.now().atLeast - startedAt);
  run.update((state) => noteUnheld(finishLearning(state, tier, serviceClock.now().atLeast), tier));
  run.update((state) => endCycleOfHolds(state, tier));
  if (tier !== 'all') return;
  // Without `covered` the whole last range is unproved, and left to polls.
  if (covered !== undefined && readsAll(run.state)) {
    // An answer may be `settle` older than its request and lack a field that was seen meanwhile.
    const fieldsUntil = startedAt - settings.settleMs * MILLISECOND;
    run.update((state) => noteWholeWalk(state, { fieldsUntil, endedAt: serviceClock.now().atMost }));
  }
  run.update((state) => forgetVanished(state, startedAt));
  // Without an open end the newest groups are unproved.
  if (!isOpenEnded(covered)) return;
  const { reconciledThrough } = run.state.read;
  run.update((state) => noteReconciled(state, settings));
  if (run.state.read.reconciledThrough !== reconciledThrough)
    settleByWalk(run, run.state.read.reconciledThrough);
}

/** While changes are held, they add up from the last cycle without a hold on: `unheldSince` stays. */
function noteUnheld(state: SourceState, tier: Tier): SourceState {
  if (areUnstampedHeld(state)) return state;
  const cycle = state.reconciliation[tier];
  return withCycle(state, tier, { ...cycle, unheldSince: cycle.startedAt });
}

/** Stores what the walk has shown about the list; the next walk reads it accordingly. */
function concludeShape(run: TickRun): void {
  const { list } = run.session;
  // A walk in pieces that saw the same order throughout: the next one tries whole ranges again.
  list.isUnordered = list.hasLostOrder;
  list.hasLostOrder = false;
  noteCutShort(run);
}

/** Whether a walk's last range was proved up to the newest groups. */
export function isOpenEnded(covered: Interval | undefined): boolean {
  return covered !== undefined && covered.to === undefined;
}

/** Whether a walk could read every group except those noted as set aside or missing. */
function readsAll({ guarding, setAside }: SourceState): boolean {
  return setAside.length < MAX_SET_ASIDE && guarding.holds.every(({ guard }) => guard === 'entities_removed');
}

/** Logs how long the cycle will take, by its groups and the budget. */
function logPlan({ state, session }: TickRun, tier: Tier): void {
  const plan = planCycles(state, session.settings).find((planned) => planned.tier === tier);
  session.log.debug('A reconciliation cycle begins.', {
    source: session.settings.name,
    tier,
    plannedMs: plan?.lengthMs,
    requests: plan?.requests,
  });
}

/** Warns once of a cycle much longer than the settings ask for: changes that only it finds come as late. */
function warnOfOverrun({ state, session }: TickRun, tier: Tier, took: number): void {
  const { settings, log } = session;
  const hasSetLength = tier === 'recent' || fitsCycle(state, settings);
  if (session.overrunLogged || !hasSetLength || took <= OVERRUN_TIMES * settings.reconcileMs * MILLISECOND)
    return;
  session.overrunLogged = true;
  const [seconds, asked] = [took / SECOND, settings.reconcileMs / 1_000].map(Math.round);
  log.warn(
    `A reconciliation cycle took ${seconds} s instead of ${asked} s. Raise the budget, or the cycle's length.`,
    { source: settings.name, tier },
  );
}

/** The next cycle may well make up for a smaller delay. */
const OVERRUN_TIMES = 2;

export function pauseCycle(run: TickRun, tier: Tier, pausedUntil: Instant): void {
  run.update((state) => withCycle(state, tier, { ...state.reconciliation[tier], pausedUntil }));
}
