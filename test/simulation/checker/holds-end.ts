// G5: a hold ends by itself once the service shows that the mistake is over. Otherwise true changes would wait for an
// operator.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';

export function checkHoldsEnd({ promises }: Evidence, { source, heldTimes }: SourceEvidence): Violation[] {
  if (!promises.endsHolds || !heldTimes.some(({ isReleased }) => isReleased)) return [];
  const message = 'the mistake was over for long, and its hold did not end without a release';
  return [{ guarantee: 'G5', source, message }];
}
