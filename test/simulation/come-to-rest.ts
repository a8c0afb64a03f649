// The end of a run: changes and faults stop, and the feed gets time to settle. Ticks are most of a run's cost, so there are
// only as many as the feed needs to read everything.

import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { WRONG_DATE_BY } from '../../local/reference-service/service/faults.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { HOUR, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import type { Plan } from './plan.ts';
import { releaseWhatIsHeld } from './world/operator.ts';
import type { Pollers } from './world/pollers.ts';
import type { World } from './world/world.ts';

/** Number of complete polls after all changes: one that finds the last changes, and one that finds none. */
const WHOLE_POLLS = 2;
/** Added to `settle`, because the service's Date is exact only to a second or two. */
const DOUBT_MS = 5_000;
/** Number of ticks within which holds end that need no release. */
const TICKS_BEFORE_RELEASE = 6;
/** Longer than any pause or rest that the feed may take. */
const LONGEST_QUIET = 3 * HOUR;

/** Time within which a permanent fault is reported, and everything that is still readable is read. */
const FAULT_REPORTED_WITHIN = 20 * MINUTE;

/** While look-ups of some groups fail, those of others may be made every ten minutes only. */
const LOOKED_UP_WITHIN = HOUR;

/**
 * A tick has room for one to three halvings of a range whose answers hang. And a walk takes many requests where only the
 * first rows of a list can be read. If the first lists hang, because a group of the last hour is in them, the source begins
 * only when that hour is over (guarantees.md, "Where they end").
 */
function faultReadWithin({ lasting }: Plan): number {
  if (lasting?.shape.kind === 'look-ups') return 2 * LOOKED_UP_WITHIN;
  if (lasting?.what === 'hang') return HOUR + FAULT_REPORTED_WITHIN;
  return lasting?.shape.kind === 'offset' ? HOUR : FAULT_REPORTED_WITHIN;
}

function lastsForEver({ lasting }: Plan): boolean {
  return lasting !== undefined && lasting.forMs === undefined;
}

/**
 * If most of the first Dates that a process receives are ahead by the same amount, its readings are dated ahead, and a
 * change without a newer stamp waits until then (docs/guarantees.md, "Where they end"). The source can't rest earlier.
 */
function longestDoubt({ knobs: { faultRate = 0, faultKinds = FAULT_KINDS } }: Plan): number {
  return faultRate > 0 && faultKinds.includes('date-skewed') ? WRONG_DATE_BY : 0;
}

/** Ends all changes of the store and all faults. */
export function calm({ fates, service, trace }: World): void {
  trace.note('world', 'calm');
  fates.calm();
  service.control.pause();
  service.control.setKnob('faultRate', 0);
  // Answers that omit an array by chance never prove that its entities are gone.
  const { arrays, nulls } = service.control.knobs();
  if (arrays === 'flicker') service.control.setKnob('arrays', 'full');
  if (nulls === 'flicker') service.control.setKnob('nulls', 'present');
}

/** Milliseconds after which every read shows every change, and every read counts as current. */
export function settledAfter({ settings, knobs, tickMs }: Plan): number {
  const { lookbackMs, settleMs } = settings;
  const late = (knobs.lateSeconds?.most ?? 0) * 1_000;
  const stale = (knobs.staleSeconds ?? 0) * 1_000;
  return lookbackMs + settleMs + late + stale + tickMs + 60_000;
}

/** Waits until everything is visible, then ticks until enough polls, and cycles begun since, are complete. */
export async function pollUntilSettled(world: World, pollers: Pollers, settled: number): Promise<boolean> {
  const { time, plan, trace, stores } = world;
  const { intervalMs, reconcileMs } = plan.settings;
  // At most one tick per cycle, because most other ticks would find nothing.
  const pauseMs = plan.reconciles ? Math.max(intervalMs, reconcileMs) : Math.max(intervalMs, 20_000);
  const patience = lastsForEver(plan) ? faultReadWithin(plan) + 4 * pauseMs * MILLISECOND : LONGEST_QUIET;
  await time.sleep(Math.max(0, settled - time.elapsed()) / MILLISECOND);
  const end = time.elapsed() + longestDoubt(plan) + patience;
  const earliest = plan.lasting?.shape.kind === 'look-ups' ? time.elapsed() + LOOKED_UP_WITHIN : 0;
  const before = (await stores.states.load(pollers.source))?.reconciliation.all;
  let cycles = new Set([before?.lastCompletedAt]);
  const cyclesNeeded = plan.reconciles ? wholeCycles(plan, pauseMs) + (before?.isUnderWay ? 1 : 0) : 0;
  let whole = 0;
  let ticks = 0;
  let isHeld = false;
  const isDone = () =>
    whole >= WHOLE_POLLS && cycles.size > cyclesNeeded && !isHeld && time.elapsed() >= earliest;
  function startOver(report: TickReport | undefined) {
    whole = 0;
    cycles = new Set([report?.state?.reconciliation.all.lastCompletedAt]);
  }
  while (!isDone() && time.elapsed() < end) {
    const report = await pollers.tick(Math.floor(time.now() / MILLISECOND));
    if (isWhole(report)) whole += 1;
    // Look-ups that failed may be made again only after ten minutes (docs/decisions/0031-look-ups-that-fail.md).
    if (!lastsForEver(plan) && isAnyLookUpDue(report)) startOver(report);
    if (report?.state !== undefined) {
      cycles.add(report.state.reconciliation.all.lastCompletedAt);
      isHeld = standingHolds(report.state).length > 0;
    }
    if (isDone()) break;
    await time.sleep(pauseMs);
    // Holds that end without a release have ended by now.
    ticks += 1;
    if (ticks < TICKS_BEFORE_RELEASE || !(await releaseWhatIsHeld(world, pollers.source))) continue;
    // Released changes are published from now on, in as many cycles as any other removal.
    startOver(report);
  }
  trace.count(isDone() ? 'quiet: settled' : 'quiet: not settled');
  return isDone();
}

/**
 * A removal must be found twice, at least `settle` apart. If the second cycle begins too soon for the clock's precision, it
 * does not count.
 */
function wholeCycles({ settings }: Plan, pauseMs: number): number {
  return 2 + Math.ceil((settings.settleMs + DOUBT_MS) / pauseMs);
}

function isAnyLookUpDue(report: TickReport | undefined): boolean {
  return report?.state !== undefined && report.state.failingLookUps.groups.length > 0;
}

/** Returns whether a poll succeeded and the source is well, except for unreadable groups. */
function isWhole(report: TickReport | undefined): boolean {
  const { state } = report ?? {};
  const { degradedSince, reasons = [] } = state?.health ?? {};
  const isWell =
    degradedSince === undefined || (reasons.length > 0 && reasons.every(({ code }) => code === 'unreadable'));
  const isBegun = state?.baseline.status === 'completed';
  return isBegun && isWell && report?.outcome === 'done' && report.failure === undefined && report.polls > 0;
}
