// W6: retries of an event are no more frequent than the schedule: 5 s, 30 s, 2 min and 5 min, then every 15 minutes.
// The message of a dead sender comes back earlier, and the retries of an operator's message are independent.
import { type Attempt, isClockAheadAt, MINUTE, SECOND, type Time, type Violation } from './evidence.ts';
import { type Indexed, isAccepting, placeOf } from './index-evidence.ts';

export function checkSchedule({ evidence, webhook, attemptsOf }: Indexed): Violation[] {
  const violations: Violation[] = [];
  for (const [id, attempts] of attemptsOf) {
    violations.push(...checkFirst(id, attempts));
    const group = placeOf(id)?.group;
    const irregular = webhook.irregular.filter((one) => one.group === group).map(({ at }) => at);
    const byHand = webhook.rungByHand.find((one) => one.group === group)?.at ?? Number.POSITIVE_INFINITY;
    let failingSince: Time | undefined;
    for (const [index, attempt] of attempts.entries()) {
      const next = attempts[index + 1];
      if (!isRegularFailure(attempt) || next === undefined) continue;
      const { seenAt = 0, invocation } = attempt;
      // Noted by a clock that was ahead, and noted anew by the next sender.
      if (isClockAheadAt(evidence, seenAt)) continue;
      failingSince ??= seenAt;
      // Another sender had the message at the same time.
      if (next.invocation.startedAt <= (invocation.endedAt ?? Number.POSITIVE_INFINITY)) continue;
      if (next.at >= byHand) continue;
      if (irregular.some((at) => at >= invocation.startedAt && at <= next.at)) continue;
      const pause = pauseAfter(seenAt - failingSince - evidence.skew) - evidence.skew;
      if (next.at - seenAt >= pause) continue;
      const message = `was posted again after ${Math.round((next.at - seenAt) / SECOND)} s, not ${pause / SECOND}`;
      violations.push({ guarantee: 'W6', place: id, message });
    }
  }
  return violations;
}

/** Checks that the first pause of an event does not depend on an earlier failure of another event of its return. */
function checkFirst(id: string, [first, second]: readonly Attempt[]): Violation[] {
  if (first === undefined || !isRegularFailure(first) || first.retryAfter !== undefined) return [];
  // Another sender had the event at the same time, and may have noted an earlier failure.
  if (second !== undefined && second.at <= (first.seenAt ?? 0)) return [];
  const { comesAgainAfter = 0 } = first.invocation;
  if (comesAgainAfter <= LONGEST_FIRST_S) return [];
  const message = `comes again ${comesAgainAfter} s after its first failure`;
  return [{ guarantee: 'W6', place: id, message }];
}

/** In seconds: 5 s plus a tenth, rounded up. */
const LONGEST_FIRST_S = 6;

/** Whether the sender saw the failure and ended regularly. */
function isRegularFailure({ seenAt, status, invocation }: Attempt): boolean {
  return (
    seenAt !== undefined && !isAccepting(status) && invocation.faults === 0 && invocation.ending === 'again'
  );
}

function pauseAfter(failingFor: Time): Time {
  if (failingFor < 5 * SECOND) return 5 * SECOND;
  if (failingFor < 35 * SECOND) return 30 * SECOND;
  if (failingFor < 155 * SECOND) return 2 * MINUTE;
  if (failingFor < 455 * SECOND) return 5 * MINUTE;
  return 15 * MINUTE;
}
