// Indexes of the evidence that several checks use.
import { parseEventId } from '../../../shared/contract/event-id.ts';
import type { Attempt, Evidence, Time, WebhookEvidence, Written } from './evidence.ts';

export interface Indexed {
  readonly evidence: Evidence;
  readonly webhook: WebhookEvidence;
  /** Attempts by event id, in order. */
  readonly attemptsOf: ReadonlyMap<string, readonly Attempt[]>;
  /** When each event was first accepted, by its id. */
  readonly firstAccepted: ReadonlyMap<string, Time>;
  /** The events of the ledger by id. */
  readonly writtenById: ReadonlyMap<string, Written>;
  /** The earliest report that the webhook will not get the event. */
  skippedAt(group: string, sequence: number): Time | undefined;
}

export interface Place {
  readonly group: string;
  readonly sequence: number;
}

/** @returns the group's key and the number; undefined if the text is no event id */
export function placeOf(id: string): Place | undefined {
  const parts = parseEventId(id);
  if (parts === undefined) return undefined;
  return { group: `${parts.source}_${parts.generation}_${parts.group}`, sequence: parts.sequence };
}

export function indexEvidence(evidence: Evidence, webhook: WebhookEvidence): Indexed {
  const attemptsOf = new Map<string, Attempt[]>();
  const firstAccepted = new Map<string, Time>();
  for (const attempt of webhook.attempts) {
    attemptsOf.set(attempt.id, [...(attemptsOf.get(attempt.id) ?? []), attempt]);
    const { acceptedAt } = attempt;
    if (acceptedAt === undefined) continue;
    firstAccepted.set(attempt.id, Math.min(acceptedAt, firstAccepted.get(attempt.id) ?? acceptedAt));
  }
  const skips = evidence.written.flatMap(({ event, at }) => {
    if (event.type !== 'feed.events_skipped' || event.data.object.destination !== webhook.name) return [];
    const { return_group_id: id, from_sequence: from, to_sequence: to, generation } = event.data.object;
    const source = event.source.replace('/sources/', '');
    return [{ group: `${source}_${generation ?? event.data.generation}_${id}`, from, to, at }];
  });
  return {
    evidence,
    webhook,
    attemptsOf,
    firstAccepted,
    writtenById: new Map(evidence.written.map((written) => [written.event.id, written])),
    skippedAt: (group, sequence) =>
      skips.find((skip) => skip.group === group && skip.from <= sequence && sequence <= skip.to)?.at,
  };
}

export const isAccepting = (status: number | undefined) =>
  status !== undefined && status >= 200 && status < 300;
export const isAboutContent = (status: number | undefined) =>
  status !== undefined && [400, 413, 415, 422].includes(status);
