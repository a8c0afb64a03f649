// W8: no event is skipped without a cause. The causes: the ledger does not have it any more, an operator skipped or
// forgot it, or the endpoint rejected its content for a day in which the event was tried regularly, gave no other
// answer meanwhile, and accepted another event lately.
import { type Attempt, DAY, type Evidence, HOUR, MINUTE, type Time, type Violation } from './evidence.ts';
import { type Indexed, isAboutContent, isAccepting, placeOf } from './index-evidence.ts';
import { askedBy } from './retry-after.ts';

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
    if (isByHand || isRefused(indexed, attemptsOn(indexed, group, event.id), at)) return [];
    return [
      { guarantee: 'W8', place: `${group} number ${sequence}`, message: 'was skipped without a cause' },
    ];
  });
}

/** How much later than the endpoint asks for an event is tried again at most, where nothing keeps it back. */
const TRIED_WITHIN: Time = 2 * HOUR;
/** A sender may freeze between its decision to skip an event and the report of that. */
const DECIDED_BEFORE: Time = 10 * MINUTE;

/** The attempts that count for an event: its own, or all of its whole return. */
function attemptsOn({ webhook, attemptsOf }: Indexed, group: string, id: string): readonly Attempt[] {
  if (webhook.shape !== 'return') return attemptsOf.get(id) ?? [];
  return webhook.attempts.filter((attempt) => attempt.id.startsWith(`${group}_r`));
}

function isRefused(
  { webhook, evidence, firstAccepted }: Indexed,
  all: readonly Attempt[],
  at: Time,
): boolean {
  const own = new Set(all.map(({ id }) => id));
  const attempts = all.filter(({ endedAt }) => endedAt !== undefined && endedAt <= at);
  const since = rejectedSince(attempts, evidence);
  const early = 2 * evidence.skew + (evidence.clockAhead === undefined ? 0 : TRIED_WITHIN);
  if (since === undefined || at - since < DAY - early) return false;
  const lately = at - 12 * HOUR - DECIDED_BEFORE - 2 * evidence.skew;
  return webhook.attempts.some(
    ({ id: other, acceptedAt = 0 }) =>
      !own.has(other) && acceptedAt > lately && acceptedAt <= at && firstAccepted.has(other),
  );
}

/**
 * The first answer about the content after the last failure of another kind that a sender must have noted, and after
 * the last time in which the event was not tried although it was due.
 */
function rejectedSince(attempts: readonly Attempt[], { skew }: Evidence): Time | undefined {
  const other = attempts.findLast(
    ({ seenAt, status, invocation }) =>
      seenAt !== undefined && !isAccepting(status) && !isAboutContent(status) && invocation.faults === 0,
  );
  // A sender that had the event at the same time may have noted its answer later.
  const from = other?.at ?? Number.NEGATIVE_INFINITY;
  const rejections = attempts.filter(
    ({ endedAt = 0, seenAt, status }) => seenAt !== undefined && isAboutContent(status) && endedAt >= from,
  );
  let since: Time | undefined;
  let inTime = Number.NEGATIVE_INFINITY;
  for (const rejection of rejections) {
    const { endedAt = 0 } = rejection;
    if (endedAt > inTime) since = endedAt;
    inTime = endedAt + askedBy(rejection, endedAt) + TRIED_WITHIN + MINUTE + 2 * skew;
  }
  return since;
}
