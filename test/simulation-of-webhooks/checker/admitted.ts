// W4: no event arrives that the filter excludes or that is older than the webhook.
import { admits } from './admits.ts';
import type { Violation } from './evidence.ts';
import { type Indexed, placeOf } from './index-evidence.ts';

export function checkAdmitted({ webhook, evidence, attemptsOf, writtenById }: Indexed): Violation[] {
  const firstOf = new Map<string, number>();
  const { startedAt = Number.POSITIVE_INFINITY } = webhook;
  for (const { event } of evidence.written) {
    const place = placeOf(event.id);
    const isItsEvent =
      webhook.published.has(event.id) || Date.parse(event.data.observed.by) * 1_000 >= startedAt - 1_000;
    if (place === undefined || !isItsEvent) continue;
    firstOf.set(place.group, Math.min(place.sequence, firstOf.get(place.group) ?? place.sequence));
  }
  return [...attemptsOf.keys()].flatMap((id): Violation[] => {
    const written = writtenById.get(id);
    const place = placeOf(id);
    if (written === undefined || place === undefined) return [];
    if (!admits(webhook.filter, written.event))
      return [{ guarantee: 'W4', place: id, message: 'was posted although the filter excludes it' }];
    if (place.sequence >= (firstOf.get(place.group) ?? Number.POSITIVE_INFINITY)) return [];
    // Forgetting a group moves the marks of all webhooks, also of those that have not sent an event of it.
    if (evidence.forgotten.some(({ group }) => group === place.group)) return [];
    return [{ guarantee: 'W4', place: id, message: 'was posted although it is older than the webhook' }];
  });
}
