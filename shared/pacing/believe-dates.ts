// Which of the first Dates may be believed: a wrong one has nothing yet to be outvoted by, and what is read at a wrong
// moment can't be told from what is stale for as long as the moment is off. So a Date needs a witness of another kind
// (the local time, or what was known before the machine was suspended), or else others like it.
import { SECOND } from '../instant.ts';

/** Least and most that the service's time is ahead of the elapsed time, by one Date. */
export interface DateBounds {
  readonly lower: number;
  readonly upper: number;
}

/** What parts by more does not bear each other out. */
const AGREE_WITHIN = 30 * SECOND;
/** Dates that have to agree where nothing else does. */
const DATES_THAT_AGREE = 3;
/** With so many Dates those that are wrong are outvoted. */
const ENOUGH_TO_OUTVOTE = 5;

/**
 * @param witnesses how far ahead the service's time should be, by anything but a Date
 * @returns the bounds to be believed; none as long as that is open
 */
export function believeDates(
  bounds: readonly DateBounds[],
  witnesses: readonly number[],
): readonly DateBounds[] {
  if (bounds.length >= ENOUGH_TO_OUTVOTE) return bounds;
  let believed: readonly DateBounds[] = [];
  let support = DATES_THAT_AGREE - 1;
  for (const { lower } of bounds) {
    const isNear = (other: number) => Math.abs(other - lower) <= AGREE_WITHIN;
    const alike = bounds.filter((other) => isNear(other.lower));
    const votes = alike.length + (witnesses.some(isNear) ? DATES_THAT_AGREE - 1 : 0);
    if (votes > support) [believed, support] = [alike, votes];
  }
  return believed;
}
