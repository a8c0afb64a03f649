// G8: the service reads filters in another zone than it shows, so polls find nothing. Once walks have found what polls passed
// over, the source is degraded until polls see changes again. From then on only walks move its claims.
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';

export function checkPollsBlind(evidence: Evidence, source: SourceEvidence): Violation[] {
  const { from } = knownBlindness(evidence, source);
  if (evidence.pollsBlind === undefined || Number.isFinite(from)) return [];
  const message = 'is not degraded in time, though polls find no changes';
  return [{ guarantee: 'G8', source: source.source, message }];
}

/** The time in which the feed knows that polls find nothing. */
export function knownBlindness(
  { pollsBlind }: Evidence,
  { written }: SourceEvidence,
): { readonly from: Time; readonly to: Time } {
  const to = pollsBlind?.to ?? 0;
  const last = written.findLast(
    ({ at, event }) =>
      at < to && (event.type === 'feed.source_degraded' || event.type === 'feed.source_recovered'),
  );
  const isKnown = last?.event.type === 'feed.source_degraded' && last.at > (pollsBlind?.from ?? 0);
  return { from: isKnown ? last.at : Number.POSITIVE_INFINITY, to };
}
