// The word that a user probably meant by a mistyped one.
import { closestMatch } from 'leven';

/** More wrong letters than this make another word. */
const MOST_WRONG_LETTERS = 3;

/** For instance ` Did you mean "shipment.created"?`; empty if no candidate is near. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const maxDistance = Math.min(MOST_WRONG_LETTERS, Math.floor(written.length / 2));
  const meant = closestMatch(written, candidates, { maxDistance });
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}
