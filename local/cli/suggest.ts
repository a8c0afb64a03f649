// The word that a user probably meant by a mistyped one.
import { closestMatch } from 'leven';

/** More wrong letters than this make another word. */
const MOST_WRONG_LETTERS = 3;

/** Ignores case; undefined if no candidate is near. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const maxDistance = Math.min(MOST_WRONG_LETTERS, Math.floor(written.length / 2));
  const meant = closestMatch(
    written.toLowerCase(),
    candidates.map((each) => each.toLowerCase()),
    { maxDistance },
  );
  return candidates.find((each) => each.toLowerCase() === meant);
}

/** For instance ` Did you mean "shipment.created"?`; empty if no candidate is near. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}
