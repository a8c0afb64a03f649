// R7: the walk that finds what polls can't, whatever a group's stamps say. A range read to its proved end also shows
// which known groups are missing from it.
import { noteWholeWalk } from '../comparing/known-fields.ts';
import { finishLearning } from '../guarding/guard-walk.ts';
import { guardWalk } from '../guarding/guards-of-run.ts';
import { beginCycleOfHolds, endCycleOfHolds } from '../guarding/holds.ts';
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import { MAX_SET_ASIDE, PAGE_LIMIT } from '../limits.ts';
import { forgetOldDepth } from '../reading/list-depth.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { type WalkStep, walkOn } from '../reading/walk.ts';
import {
  beginCycle,
  dueTier,
  fitsCycle,
  openUntil,
  pauseAfterRange,
  planCycles,
  requestsOfAll,
} from '../source/reconciliation-plan.ts';
import type { CycleState, SourceState, Tier } from '../source/source-state.ts';
import { createdWithin } from './created-within.ts';
import { lookForGroups, lookForMissing } from './look-for-missing.ts';
import type { RangeRoom } from './range-room.ts';
import { readOpen } from './read-open.ts';
import { forgetVanished } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

export interface Walking {
  readonly fetch: FetchPage;
  readonly pollWhenDue: () => Promise<void>;
  readonly room: RangeRoom;
}

/** Reads ranges that are due while there is time for one. */
export async function reconcile(run: TickRun, walking: Walking): Promise<void> {
  const { settings, serviceClock } = run.session;
  for (;;) {
    const now = serviceClock.now().atLeast;
    const tier = dueTier(run.state, settings, now);
    const maxPages = walking.room.pages();
    if (tier === undefined || maxPages === undefined) return;
    if (!run.state.reconciliation[tier].isUnderWay) {
      setCycle(run, tier, beginCycle(run.state.reconciliation[tier], tier, now));
      run.state = beginCycleOfHolds(run.state, tier, fitsCycle(run.state, settings));
      // R1: a short page may end a poll only if this cycle has shown that the service sends longer ones.
      if (tier === 'all') {
        const listDepth = forgetOldDepth(run.state.listDepth, now);
        // The service may now accept a page size that it once refused.
        const pageLimit = listDepth === run.state.listDepth ? run.state.pageLimit : PAGE_LIMIT;
        run.state = { ...run.state, fullPageSeen: false, listDepth, pageLimit };
      }
      logPlan(run, tier);
    }
    // Pause first: a range that the tick's end cuts off has used its share as well.
    if (keepsToShare(run, tier)) pause(run, tier, now + pauseAfterRange(tier, maxPages, settings));
    await walking.room.during(() => reconcileRange(run, tier, maxPages, walking));
    await run.save();
  }
}

/** Logs how long the cycle will take, by its groups and the budget. */
function logPlan({ state, session }: TickRun, tier: Tier): void {
  const plan = planCycles(state, session.settings).find((planned) => planned.tier === tier);
  session.log.info('A reconciliation cycle begins.', {
    source: session.settings.name,
    tier,
    plannedMs: plan?.lengthMs,
    requests: plan?.requests,
  });
}

async function reconcileRange(
  run: TickRun,
  tier: Tier,
  maxPages: number,
  { fetch, pollWhenDue }: Walking,
): Promise<void> {
  const { serviceClock } = run.session;
  const { coveredThrough, rangeWidth } = run.state.reconciliation[tier];
  const guard = guardWalk(run, tier, coveredThrough);
  const recorder = run.recorder('reconciliation', guard);
  const seen = new Set<number>();
  const read = new Map<number, Instant>();
  const before = run.requestsSent('reconciliation');
  run.unfinished = tier;
  const take = async (page: Page) => {
    for (const id of idsOf(page)) seen.add(id);
    for (const row of page.rows) if (row.kind === 'readable') read.set(row.group.id, row.createdAt);
    await recorder.take(page);
    if (guard.isFull()) await guard.conclude(recorder);
  };
  const missing = { tier, seen, recorder, pollWhenDue };
  const sent = () => run.requestsSent('reconciliation') - before;
  if (tier === 'open') {
    const until = openUntil(run.state.reconciliation.open);
    const maxRequests = maxPages;
    const step = await readOpen(run, { coveredThrough, until, fetch, take, pollWhenDue, maxRequests });
    run.unfinished = undefined;
    run.walked.add(tier);
    await guard.conclude(recorder);
    await lookForGroups(run, step, missing);
    await guard.conclude(recorder);
    const { isDone } = step;
    return advance(
      run,
      tier,
      { position: { coveredThrough: step.coveredThrough, rangeWidth }, isDone, covered: undefined },
      sent(),
    );
  }
  const step = await walkOn(
    { coveredThrough, rangeWidth },
    {
      fetch,
      take,
      maxPages,
      depth: run.depth,
      stamps: () => run.stamps,
      now: () => serviceClock.now().atLeast,
    },
  );
  run.unfinished = undefined;
  await guard.conclude(recorder);
  if (createdWithin(step.covered, read) > 0 || (step.covered !== undefined && step.isDone))
    run.walked.add(tier);
  if (step.covered !== undefined) {
    const missed = await lookForMissing(run, step.covered, missing);
    await guard.conclude(recorder);
    // The next cycle may be days away.
    if (missed === 'again' && keepsToShare(run, tier)) return comeBack(run, tier);
  }
  advance(run, tier, step, sent());
}

function advance(
  run: TickRun,
  tier: Tier,
  step: Pick<WalkStep, 'position' | 'isDone' | 'covered'>,
  sent: number,
): void {
  const { settings, serviceClock } = run.session;
  const now = serviceClock.now().atLeast;
  const cycle = run.state.reconciliation[tier];
  const requests = cycle.requests + sent;
  // With more requests than that, a walk over all groups is as fast.
  const isDone = step.isDone || (tier === 'open' && requests >= requestsOfAll(run.state));
  const done = { isUnderWay: false, lastRequests: requests, lastCompletedAt: now };
  setCycle(run, tier, {
    ...cycle,
    ...step.position,
    requests,
    pausedUntil: keepsToShare(run, tier) ? now + pauseAfterRange(tier, sent, settings) : cycle.pausedUntil,
    ...(isDone ? done : {}),
  });
  if (!isDone) return;
  warnOfOverrun(run, tier, now - cycle.startedAt);
  run.state = finishLearning(endCycleOfHolds(run.state, tier));
  if (tier !== 'all') return;
  // Without `covered` the newest groups are unproved, and left to polls.
  if (step.covered !== undefined && readsAll(run.state)) {
    // An answer may be `settle` older than its request and lack a field that was seen meanwhile.
    const fieldsUntil = cycle.startedAt - settings.settleMs * MILLISECOND;
    run.state = noteWholeWalk(run.state, { fieldsUntil, endedAt: serviceClock.now().atMost });
  }
  run.state = forgetVanished(run.state, cycle.startedAt);
}

/** Whether a walk could read every group except those noted as set aside or missing. */
function readsAll({ guarding, setAside }: SourceState): boolean {
  return setAside.length < MAX_SET_ASIDE && guarding.holds.every(({ guard }) => guard === 'entities_removed');
}

/** Warns once of a cycle much longer than the settings ask for: changes that only it finds come as late. */
function warnOfOverrun({ state, session }: TickRun, tier: Tier, took: Instant): void {
  const { settings, log } = session;
  const isAsked = tier === 'recent' || fitsCycle(state, settings);
  if (session.overrunLogged || !isAsked || took <= OVERRUN_TIMES * settings.reconcileMs * MILLISECOND) return;
  session.overrunLogged = true;
  const [seconds, asked] = [took / SECOND, settings.reconcileMs / 1_000].map(Math.round);
  log.warn(
    `A reconciliation cycle took ${seconds} s instead of ${asked} s: polls leave no budget for a faster one.`,
  );
}

/** The next cycle may well make up for a smaller delay. */
const OVERRUN_TIMES = 2;

/** Whether the walk leaves time to the others: where there are several, all but the recent one do. */
function keepsToShare({ state, session }: TickRun, tier: Tier): boolean {
  return tier !== 'recent' && !fitsCycle(state, session.settings);
}

/** Reads the same range again as soon as its groups may be looked up for the second time. */
function comeBack(run: TickRun, tier: Tier): void {
  const { settings, serviceClock } = run.session;
  pause(run, tier, serviceClock.now().atMost + settings.settleMs * MILLISECOND);
}

function pause(run: TickRun, tier: Tier, pausedUntil: Instant): void {
  setCycle(run, tier, { ...run.state.reconciliation[tier], pausedUntil });
}

function setCycle(run: TickRun, tier: Tier, cycle: CycleState): void {
  run.state = { ...run.state, reconciliation: { ...run.state.reconciliation, [tier]: cycle } };
}

function idsOf({ rows }: Page): number[] {
  return rows.flatMap((row) =>
    row.kind === 'readable' ? [row.group.id] : row.id === undefined ? [] : [row.id],
  );
}
