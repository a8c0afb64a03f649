// W2: every event that the filter admits arrives, unless `feed.events_skipped` names it.
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
    // The ledger has no event of the group any more, so the feed can't know that one is missing (docs/webhooks.md).
    if (written.goneFrom < Number.POSITIVE_INFINITY && isLastOfGroup(indexed, group)) return [];
    return [{ guarantee: 'W2', place: `${group} number ${sequence}`, message: 'never arrived' }];
  });
}

/** Whether the webhook must get an event: it is no older than the webhook, or its message was received and deleted. */
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
 * Whether the endpoint rejects the content of the event, or of an earlier one that is not due to be skipped yet. An
 * event is due a day after its first rejection, at the next retry after another event was accepted. Messages of other
 * generations of a return are in the same message group.
 */
function isWaitingForRefused(indexed: Indexed, group: string, sequence: number): boolean {
  const [source, generation = '', id] = group.split('_');
  const others = ['g1', 'g2'].filter((name) => name !== generation);
  const isRefused = (number: number, of: string) => isBeingRefused(indexed, `${of}_${number}`);
  return (
    range(sequence).some((number) => isRefused(number, group)) ||
    others.some((name) => range(MOST_NUMBERS).some((number) => isRefused(number, `${source}_${name}_${id}`)))
  );
}

function isBeingRefused({ webhook, evidence, attemptsOf, firstAccepted, skippedAt }: Indexed, id: string) {
  const [last, first] = [attemptsOf.get(id)?.at(-1), attemptsOf.get(id)?.[0]];
  const { group = '', sequence = 0 } = placeOf(id) ?? {};
  if (last === undefined || firstAccepted.has(id) || skippedAt(group, sequence) !== undefined) return false;
  if (!isAboutContent(last.status)) return false;
  const since = Math.max(first?.at ?? 0, evidence.calmFrom);
  const hasAccepted = webhook.attempts.some(
    ({ acceptedAt = 0 }) =>
      acceptedAt > since + LONGEST_PAUSE + DAY && acceptedAt < evidence.endedAt - LONGEST_PAUSE,
  );
  return !hasAccepted;
}

/** Of a failing event, with jitter. The day of retries begins with the first retry after an answer of another kind. */
const LONGEST_PAUSE = 12 * HOUR;

const range = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
/** More than any group has. */
const MOST_NUMBERS = 1_000;

/** Long enough for several daily sweeps, which find gaps. */
const LONG = 3 * DAY;
