// The precision with which the feed can know times in a run.
import { MILLISECOND, SECOND } from '../../shared/instant.ts';
import type { Timing } from './checker/evidence.ts';
import type { World } from './world/world.ts';

/** A Date has whole seconds, and is set before the answer is sent. */
const DATE_IS_KNOWN_TO = 2 * SECOND;
/** The feed takes smaller jumps of a clock for a suspension of the machine (service-clock.ts). */
const LONGEST_UNSEEN_SUSPENSION = 2 * SECOND;
/** The longest freeze of a process after an answer arrived (process.ts). */
const LONGEST_FREEZE = 181 * SECOND;
/** The largest drift of a clock (world.ts). */
const LARGEST_DRIFT = 0.0002;

export function longestFreezeOf({ faults }: World['plan']): number {
  return faults.freeze > 0 ? LONGEST_FREEZE : 0;
}

export function timingOf({ plan, service, time, suspendedUnseen }: World): Timing {
  const { date, dateSkewSeconds, staleShare, staleSeconds } = service.control.knobs();
  const hasDate = date === 'present';
  const staleFor = staleShare > 0 ? Math.ceil(staleSeconds * SECOND) : 0;
  const longestExchange = plan.settings.requestTimeoutMs * MILLISECOND + longestFreezeOf(plan);
  return {
    hasDate,
    clocksAgree: plan.clockSkewMs === 0 && plan.faults.clockJump === 0,
    dateAhead: hasDate ? dateSkewSeconds * SECOND : 0,
    drift:
      (hasDate ? 0 : Math.ceil(time.elapsed() * LARGEST_DRIFT)) +
      // A suspension can't be detected if the clock is set back by the same time (docs/guarantees.md, "Time").
      (plan.faults.clockJump > 0 ? suspendedUnseen() : 0),
    lateBy: DATE_IS_KNOWN_TO + (plan.faults.clockJump > 0 ? LONGEST_UNSEEN_SUSPENSION : 0),
    slowestAnswer: longestExchange + staleFor + DATE_IS_KNOWN_TO,
    longestExchange,
    settle: plan.settings.settleMs * MILLISECOND,
    staleFor,
    knowsTheTime: plan.faults.clockJump === 0 && plan.faults.freeze === 0,
  };
}
