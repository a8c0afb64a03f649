// W7: an accepted event is not posted again if its answer reached a sender with working tables. The death of a sender
// causes at most one repeated event, and so do two senders that have a return at once: the slower one ends.
import type { Attempt, Invocation, Violation } from './evidence.ts';
import { type Indexed, isAccepting } from './index-evidence.ts';

export function checkRepeats({ webhook, attemptsOf }: Indexed): Violation[] {
  const seen = new Map<Invocation, Attempt[]>();
  for (const attempt of webhook.attempts) {
    if (attempt.seenAt === undefined || !isAccepting(attempt.status)) continue;
    seen.set(attempt.invocation, [...(seen.get(attempt.invocation) ?? []), attempt]);
  }
  return [...checkAfterwards(seen, attemptsOf), ...checkAtOnce(seen)];
}

/** The accepted attempts of each sender that saw the answer. */
type Seen = ReadonlyMap<Invocation, readonly Attempt[]>;

function checkAfterwards(seen: Seen, attemptsOf: Indexed['attemptsOf']): Violation[] {
  const violations: Violation[] = [];
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

function checkAtOnce(seen: Seen): Violation[] {
  const violations: Violation[] = [];
  const senders = [...seen].filter(([{ thrown = 0, endedAt }]) => thrown === 0 && endedAt !== undefined);
  for (const [index, [{ group }, accepted]] of senders.entries())
    for (const [other, acceptedByOther] of senders.slice(index + 1)) {
      if (other.group !== group) continue;
      const both = accepted.filter(({ id }) => acceptedByOther.some((attempt) => attempt.id === id));
      if (both.length <= 1) continue;
      const ids = both.map(({ id }) => id).join(', ');
      violations.push({ guarantee: 'W7', place: ids, message: 'were sent by two senders at once' });
    }
  return violations;
}
