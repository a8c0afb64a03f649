// W7: an accepted event is not posted again if its answer reached a sender with working tables. The death of a sender
// causes at most one repeated event.
import type { Attempt, Invocation, Violation } from './evidence.ts';
import { type Indexed, isAccepting } from './index-evidence.ts';

export function checkRepeats({ webhook, attemptsOf }: Indexed): Violation[] {
  const violations: Violation[] = [];
  const seen = new Map<Invocation, Attempt[]>();
  for (const attempt of webhook.attempts) {
    if (attempt.seenAt === undefined || !isAccepting(attempt.status)) continue;
    seen.set(attempt.invocation, [...(seen.get(attempt.invocation) ?? []), attempt]);
  }
  for (const [invocation, accepted] of seen) {
    const { thrown = 0, ending, endedAt } = invocation;
    if (thrown > 0 || endedAt === undefined) continue;
    const again = accepted.filter(({ id, at }) =>
      (attemptsOf.get(id) ?? []).some((other) =>
        other.invocation === invocation ? other.at > at : other.invocation.startedAt > endedAt,
      ),
    );
    const mostRepeated = ending === 'died' ? 1 : 0;
    if (again.length <= mostRepeated) continue;
    const ids = again.map(({ id }) => id).join(', ');
    const message = `was posted again although it was accepted, by a sender that ended (${ending})`;
    violations.push({ guarantee: 'W7', place: ids, message });
  }
  return violations;
}
