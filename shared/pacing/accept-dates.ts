// Decides which Dates to accept. The first Dates are too few to outvote a wrong one, and a reading with a wrong time
// looks stale for as long as the time is off. So a Date must be confirmed: by the local time, by the time known before
// the machine was suspended, or by other Dates. Later these witnesses decide if wrong Dates are about as many as true
// ones.
import { SECOND } from '../instant.ts';

/** The least and the most that the service's time is ahead of the elapsed time, by one Date. */
export interface DateBounds {
  readonly lower: number;
  readonly upper: number;
}

/** Times further apart than this do not confirm each other. */
const AGREE_WITHIN = 30 * SECOND;
/** Dates that must agree if there is no other witness. */
const DATES_THAT_AGREE = 3;
/** With this many Dates the wrong ones are outvoted. */
const ENOUGH_TO_OUTVOTE = 5;

/**
 * @param witnesses how far ahead the service's time should be, by sources other than a Date
 * @returns the accepted bounds; none while that is undecided
 */
export function acceptDates(
  bounds: readonly DateBounds[],
  witnesses: readonly number[],
): readonly DateBounds[] {
  const isWitnessed = (offset: number) => witnesses.some((witness) => isNear(witness, offset));
  if (bounds.length >= ENOUGH_TO_OUTVOTE && !bounds.some(({ lower }) => isWitnessed(lower))) return bounds;
  let accepted: readonly DateBounds[] = [];
  let support = DATES_THAT_AGREE - 1;
  for (const { lower } of bounds) {
    const alike = bounds.filter((other) => isNear(other.lower, lower));
    const votes = alike.length + (isWitnessed(lower) ? DATES_THAT_AGREE - 1 : 0);
    if (votes > support) [accepted, support] = [alike, votes];
  }
  return accepted;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= AGREE_WITHIN;
}
