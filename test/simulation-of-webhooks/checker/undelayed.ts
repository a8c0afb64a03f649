// W9: a webhook without outages is not late, even if others have outages.
import { admits } from './admits.ts';
import { MINUTE, SECOND, type Violation } from './evidence.ts';
import { type Indexed, placeOf } from './index-evidence.ts';

const LATE_AFTER = MINUTE;

export function checkUndelayed({ evidence, webhook, firstAccepted }: Indexed): Violation[] {
  if (!evidence.isFaultless || webhook.isDisturbed) return [];
  return evidence.written.flatMap(({ event, at }): Violation[] => {
    const place = placeOf(event.id);
    const isItsEvent = admits(webhook.filter, event) && webhook.published.has(event.id);
    const isForgotten = evidence.forgotten.some(({ group }) => group === place?.group);
    if (!isItsEvent || isForgotten) return [];
    const delay = (firstAccepted.get(event.id) ?? Number.POSITIVE_INFINITY) - at;
    if (delay <= LATE_AFTER) return [];
    const message = `arrived after ${Math.round(delay / SECOND)} s, although its endpoint had no outage`;
    return [{ guarantee: 'W9', place: event.id, message }];
  });
}
