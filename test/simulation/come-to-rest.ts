// The end of a run: nothing changes and nothing goes wrong any more, until the feed has had its time to settle. A run
// costs what its ticks cost, so there are no more of them than it takes to know all.

import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { WRONG_DATE_BY } from '../../local/reference-service/service/faults.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { HOUR, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import type { Plan } from './plan.ts';
import { releaseWhatIsHeld } from './world/operator.ts';
import type { Pollers } from './world/pollers.ts';
import type { World } from './world/world.ts';

/** Polls that have to see all, once all is quiet: one to find what is left, one to have found nothing. */
const WHOLE_POLLS = 2;
/** Times by the service's Date are known to a second or two: what has to be `settle` apart is a little more. */
const DOUBT_MS = 5_000;
/** Holds that end by themselves do so within these. */
const TICKS_BEFORE_RELEASE = 6;
/** Longer than any pause or rest that the feed may take. */
const LONGEST_QUIET = 3 * HOUR;

/** A fault that lasts for ever is reported by then, and what can be read in spite of it is. */
const FAULT_TOLD_WITHIN = 20 * MINUTE;

function lastsForEver({ lasting }: Plan): boolean {
  return lasting !== undefined && lasting.forMs === undefined;
}

/**
 * Where most of the first Dates that a process gets are ahead by the same, what it reads counts as read by then, and a
 * change without a newer stamp waits for it (docs/guarantees.md, "Where they end"). No rest is sooner than that.
 */
function longestDoubt({ knobs: { faultRate = 0, faultKinds = FAULT_KINDS } }: Plan): number {
  return faultRate > 0 && faultKinds.includes('date-skewed') ? WRONG_DATE_BY : 0;
}

/** From now on the store does not change, and nothing goes wrong any more. */
export function calm({ fates, service, trace }: World): void {
  trace.note('world', 'calm');
  fates.calm();
  service.control.pause();
  service.control.setKnob('faultRate', 0);
  // An array that is left out by chance says nothing of its entities, as often as it is read.
  const { arrays, nulls } = service.control.knobs();
  if (arrays === 'flicker') service.control.setKnob('arrays', 'full');
  if (nulls === 'flicker') service.control.setKnob('nulls', 'present');
}

/** After so long every change may be seen by every read, and no read is in doubt. */
export function settledAfter({ settings, knobs, tickMs }: Plan): number {
  const { lookbackMs, settleMs } = settings;
  const late = (knobs.lateSeconds?.most ?? 0) * 1_000;
  const stale = (knobs.staleSeconds ?? 0) * 1_000;
  return lookbackMs + settleMs + late + stale + tickMs + 60_000;
}

/** Once everything can be seen, ticks on until enough polls, and cycles begun since, were finished. */
export async function pollUntilSettled(world: World, pollers: Pollers, settled: number): Promise<boolean> {
  const { time, plan, trace, stores } = world;
  const { intervalMs, reconcileMs } = plan.settings;
  // No more ticks than cycles: what happens is known by then, and most of a run would be ticks that find nothing.
  const pauseMs = plan.reconciles ? Math.max(intervalMs, reconcileMs) : Math.max(intervalMs, 20_000);
  const patience = lastsForEver(plan) ? FAULT_TOLD_WITHIN + 4 * pauseMs * MILLISECOND : LONGEST_QUIET;
  await time.sleep(Math.max(0, settled - time.elapsed()) / MILLISECOND);
  const end = time.elapsed() + longestDoubt(plan) + patience;
  const before = (await stores.states.load(pollers.source))?.reconciliation.all;
  let cycles = new Set([before?.lastCompletedAt]);
  const cyclesNeeded = plan.reconciles ? wholeCycles(plan, pauseMs) + (before?.isUnderWay ? 1 : 0) : 0;
  let whole = 0;
  let ticks = 0;
  const isDone = () => whole >= WHOLE_POLLS && cycles.size > cyclesNeeded;
  while (!isDone() && time.elapsed() < end) {
    const report = await pollers.tick(Math.floor(time.now() / MILLISECOND));
    if (isWhole(report)) whole += 1;
    if (report?.state !== undefined) cycles.add(report.state.reconciliation.all.lastCompletedAt);
    if (isDone()) break;
    await time.sleep(pauseMs);
    // Had it ended by itself, it would have by now.
    ticks += 1;
    if (ticks < TICKS_BEFORE_RELEASE || !(await releaseWhatIsHeld(world, pollers.source))) continue;
    // What was released is told from now on, in as many cycles as anything else that is gone.
    whole = 0;
    cycles = new Set([report?.state?.reconciliation.all.lastCompletedAt]);
  }
  trace.count(isDone() ? 'quiet: settled' : 'quiet: not settled');
  return isDone();
}

/**
 * What is gone has to be found missing twice, `settle` apart. A cycle that begins so soon after the first time that
 * the clock can't tell them apart is taken for the one in which that was.
 */
function wholeCycles({ settings }: Plan, pauseMs: number): number {
  return 2 + Math.ceil((settings.settleMs + DOUBT_MS) / pauseMs);
}

/** A poll without trouble, of a source that is well (but for groups that nobody can read), and of which nothing is held. */
function isWhole(report: TickReport | undefined): boolean {
  const { state } = report ?? {};
  const isHeld = state !== undefined && standingHolds(state).length > 0;
  const isWell = state?.health.degradedSince === undefined || (state.setAside.length > 0 && !isHeld);
  const isBegun = state?.baseline.status === 'completed';
  return isBegun && isWell && report?.outcome === 'done' && report.failure === undefined && report.polls > 0;
}
