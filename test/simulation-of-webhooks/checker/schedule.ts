// W6: retries of an event are no more frequent than the schedule: 5 s, 30 s, 2 min and 5 min, then every 15 minutes.
// A dead sender's message comes back sooner.
import { type Attempt, MINUTE, SECOND, type Time, type Violation } from './evidence.ts';
import { type Indexed, isAccepting, placeOf } from './index-evidence.ts';

export function checkSchedule({ evidence, webhook, attemptsOf }: Indexed): Violation[] {
  const violations: Violation[] = [];
  for (const [id, attempts] of attemptsOf) {
    const group = placeOf(id)?.group;
    const irregular = webhook.irregular.filter((one) => one.group === group).map(({ at }) => at);
    let failingSince: Time | undefined;
    for (const [index, attempt] of attempts.entries()) {
      const next = attempts[index + 1];
      if (!isRegularFailure(attempt) || next === undefined) continue;
      const { seenAt = 0, invocation } = attempt;
      failingSince ??= seenAt;
      // A message that another sender had at the same time.
      if (next.invocation.startedAt <= (invocation.endedAt ?? Number.POSITIVE_INFINITY)) continue;
      if (irregular.some((at) => at >= invocation.startedAt && at <= next.at)) continue;
      const pause = pauseAfter(seenAt - failingSince - evidence.skew) - evidence.skew;
      if (next.at - seenAt >= pause) continue;
      const message = `was posted again after ${Math.round((next.at - seenAt) / SECOND)} s, not ${pause / SECOND}`;
      violations.push({ guarantee: 'W6', place: id, message });
    }
  }
  return violations;
}

/** Whether a sender saw the failure and ended as it should. */
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
