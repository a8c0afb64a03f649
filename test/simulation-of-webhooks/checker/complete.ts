// W2: nothing is missing that the filter admits, unless `feed.events_skipped` names it.
import { admits } from './admits.ts';
import { DAY, HOUR, type Violation, type Written } from './evidence.ts';
import { type Indexed, isAboutContent, placeOf } from './index-evidence.ts';

export function checkComplete(indexed: Indexed): Violation[] {
  const { evidence, webhook, firstAccepted, skippedAt } = indexed;
  const owed = owedOf(indexed);
  return evidence.written.flatMap((written): Violation[] => {
    const { id } = written.event;
    const place = placeOf(id);
    if (place === undefined || !owed(written) || !admits(webhook.filter, written.event)) return [];
    const { group, sequence } = place;
    if (firstAccepted.has(id) || skippedAt(group, sequence) !== undefined) return [];
    if (isWaitingForRefused(indexed, group, sequence)) return [];
    // With the last event of its group the ledger lost any trace of it (docs/guarantees.md).
    if (written.goneFrom < Number.POSITIVE_INFINITY && isLastOfGroup(indexed, group)) return [];
    return [{ guarantee: 'W2', place: `${group} number ${sequence}`, message: 'never arrived' }];
  });
}

/** Whether the webhook gets it: it is no older than the webhook, or its message was received and deleted. */
function owedOf({ webhook }: Indexed): (written: Written) => boolean {
  const { startedAt = Number.POSITIVE_INFINITY, invocations, published } = webhook;
  const done = new Set(
    invocations.flatMap(({ group, rangFor, ending }) => (ending === 'done' ? [`${group}_${rangFor}`] : [])),
  );
  return ({ event }) =>
    Date.parse(event.data.observed.by) * 1_000 > startedAt ||
    (published.get(event.id) === true && done.has(event.id));
}

/** Whether no event of the group is left in the ledger. */
function isLastOfGroup({ evidence }: Indexed, group: string): boolean {
  return !evidence.written.some(
    ({ event, goneFrom }) => event.id.startsWith(`${group}_`) && goneFrom > evidence.calmFrom + LONG,
  );
}

/**
 * Whether the endpoint refuses the content of the event, or of one before it, and it is not yet time to skip that one: a
 * day after its first refusal, once another event was accepted.
 */
function isWaitingForRefused(indexed: Indexed, group: string, sequence: number): boolean {
  const { webhook, evidence, attemptsOf, firstAccepted, skippedAt } = indexed;
  for (let number = 1; number <= sequence; number += 1) {
    const id = `${group}_${number}`;
    const attempts = attemptsOf.get(id) ?? [];
    if (firstAccepted.has(id) || skippedAt(group, number) !== undefined || attempts.length === 0) continue;
    if (!isAboutContent(attempts.at(-1)?.status)) return false;
    const since = Math.max(attempts[0]?.at ?? 0, evidence.calmFrom);
    const others = webhook.attempts.filter(
      ({ acceptedAt = 0 }) => acceptedAt > since && acceptedAt < evidence.endedAt - HOUR,
    );
    return others.length === 0 || evidence.endedAt - since < DAY + HOUR;
  }
  return false;
}

/** The sweeps of so long at least look for gaps. */
const LONG = 3 * DAY;
