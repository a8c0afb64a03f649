// W8: no event is skipped without a cause. The causes: the ledger does not have it any more, an operator skipped or
// forgot it, or the endpoint rejected its content for a day while it accepted another event.
import { type Attempt, DAY, type Time, type Violation } from './evidence.ts';
import { type Indexed, isAboutContent, placeOf } from './index-evidence.ts';

export function checkSkips(indexed: Indexed): Violation[] {
  const { evidence, webhook, skippedAt } = indexed;
  return evidence.written.flatMap(({ event, goneFrom }): Violation[] => {
    const place = placeOf(event.id);
    const at = place && skippedAt(place.group, place.sequence);
    if (place === undefined || at === undefined || goneFrom <= at) return [];
    const { group, sequence } = place;
    const isByHand =
      webhook.skippedByHand.some((skip) => skip.group === group && skip.sequence === sequence) ||
      evidence.forgotten.some((forgotten) => forgotten.group === group && sequence <= forgotten.through);
    if (isByHand || isRefused(indexed, event.id, at)) return [];
    return [
      { guarantee: 'W8', place: `${group} number ${sequence}`, message: 'was skipped without a cause' },
    ];
  });
}

function isRefused({ webhook, evidence, attemptsOf, firstAccepted }: Indexed, id: string, at: Time): boolean {
  const attempts = (attemptsOf.get(id) ?? []).filter(({ endedAt }) => endedAt !== undefined && endedAt <= at);
  const since = firstFailure(attempts);
  if (since === undefined || at - since < DAY - 2 * evidence.skew) return false;
  const accepts = webhook.attempts.some(
    ({ id: other, acceptedAt = 0 }) =>
      other !== id && acceptedAt > since - 2 * evidence.skew && acceptedAt <= at && firstAccepted.has(other),
  );
  return accepts && attempts.some(({ status }) => isAboutContent(status));
}

/** When a sender first saw that the event failed. */
function firstFailure(attempts: readonly Attempt[]): Time | undefined {
  return attempts.find(({ seenAt, acceptedAt }) => seenAt !== undefined && acceptedAt === undefined)?.endedAt;
}
