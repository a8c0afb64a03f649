// G8: the service reads filters in another zone than it shows, so polls find nothing. Once walks have found what polls
// passed over, the source is degraded until polls see changes again. While it is, only walks move `read_up_to`.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';

export function checkPollsBlind(evidence: Evidence, source: SourceEvidence): Violation[] {
  if (evidence.pollsBlind === undefined) return [];
  const { from, to } = knownBlindness(evidence, source);
  const isReported = Number.isFinite(from);
  const isTakenBack = source.written.some(
    ({ at, event }) => event.type === 'feed.source_recovered' && at > from && at < to,
  );
  if (isReported && !isTakenBack) return [];
  const message = isReported
    ? 'recovers, though polls still find no changes'
    : 'is not degraded in time, though polls find no changes';
  return [{ guarantee: 'G8', source: source.source, message }];
}

/** The time in which the feed knows that polls find nothing. */
export function knownBlindness(
  { pollsBlind }: Evidence,
  { written }: SourceEvidence,
): { readonly from: Time; readonly to: Time } {
  const to = pollsBlind?.to ?? 0;
  const first = written.find(({ at, event }) => at < to && saysBlind(event));
  return { from: first?.at ?? Number.POSITIVE_INFINITY, to };
}

function saysBlind(event: FeedEvent): boolean {
  return (
    event.type === 'feed.source_degraded' &&
    event.data.object.reasons.some(({ message }) => message.startsWith('Polls find no changes'))
  );
}
