// Decides which of the first Dates may be believed. There are no others yet to outvote a wrong one, and a reading at a
// wrong moment looks stale for as long as the moment is off. So a Date needs a witness of another kind (the local time,
// or what was known before the machine was suspended), or else other Dates like it.
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
 * @returns the bounds to believe; none while that is undecided
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
