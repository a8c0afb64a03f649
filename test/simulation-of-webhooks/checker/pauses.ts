// W5: no attempt while a 429's, a 503's or an operator's pause lasts, except for attempts that were decided before it.
import { isClockAheadAt, MINUTE, SECOND, type Time, type Violation } from './evidence.ts';
import type { Indexed } from './index-evidence.ts';
import { askedBy } from './retry-after.ts';

interface Pause {
  readonly why: string;
  readonly from: Time;
  readonly to: Time;
  /** Whether it ends by a clock, not by a command. */
  readonly isTimed: boolean;
}

export function checkPauses({ evidence, webhook }: Indexed): Violation[] {
  const violations: Violation[] = [];
  const pauses: Pause[] = webhook.paused.map((paused) => ({ ...paused, why: 'an operator', isTimed: false }));
  for (const attempt of webhook.attempts) {
    const { status, id, seenAt, notedAt, endedAt = 0, invocation } = attempt;
    if ((status !== 429 && status !== 503) || seenAt === undefined) continue;
    if (notedAt !== undefined && isClockAheadAt(evidence, notedAt)) continue;
    if (notedAt !== undefined) {
      const to = endedAt + askedBy(attempt, endedAt) - evidence.skew;
      pauses.push({ why: `the answer ${status} to ${id}`, from: notedAt, to, isTimed: true });
    } else if (invocation.faults === 0 && invocation.ending !== 'died' && invocation.ending !== undefined)
      violations.push({ guarantee: 'W5', place: id, message: `the answer ${status} was not noted` });
  }
  for (const { id, at, decidedAt } of webhook.attempts) {
    const pause = pauses.find(({ from, to }) => decidedAt > from && at < to);
    if (pause === undefined || (pause.isTimed && isClockAheadAt(evidence, decidedAt))) continue;
    const lateBy = `${Math.round((at - pause.from) / SECOND)} s after ${pause.why} paused the endpoint`;
    violations.push({
      guarantee: 'W5',
      place: id,
      message: `was posted ${lateBy} for ${Math.round((pause.to - pause.from) / MINUTE)} min`,
    });
  }
  return violations;
}
