// Whether a walk found an improbable number of groups that changed without a newer stamp. Services differ: at some no
// change moves a stamp, at others every change does. So the usual rate is learned from the walks themselves. The longer
// the time between two walks, the more groups may have changed. Pure.
import { HOUR, type Instant } from '../instant.ts';
import { FEWEST_IMPROBABLE, IMPROBABLE_SHARE, UNUSUAL_TIMES, USUAL_HALVES_IN } from '../limits.ts';
import type { UsualChange } from './guarding-state.ts';

/** Groups that were compared, and those of them that differed without a newer stamp. */
export interface Differing {
  readonly compared: number;
  readonly unstamped: number;
  /** How long they had to change since they were last walked, in the unit of Instant. */
  readonly duration: number;
}

/** Half of an improbable share, so that a page of a fault that touches most groups almost never has so few of them. */
const USUAL_SHARE = IMPROBABLE_SHARE / 2;
/** The largest share that counts: at 1 the rate would be infinite. */
const LARGEST_SHARE = 0.999;

/**
 * Whether more than half of the groups, more than a few, and far more than usual differ. Never before a whole walk has
 * shown what is usual.
 */
export function isImprobable(differing: Differing, usual: UsualChange | undefined, now: Instant): boolean {
  if (usual?.isWhole !== true || differing.unstamped <= FEWEST_IMPROBABLE) return false;
  return exceeds(differing, IMPROBABLE_SHARE, usual, now);
}

/** Whether more than this share differs, and far more than usual. */
function exceeds(differing: Differing, most: number, usual: UsualChange, now: Instant): boolean {
  const { compared, unstamped, duration } = differing;
  const share = unstamped / compared;
  const expected = 1 - Math.exp((-fadedRate(usual, now) * Math.max(0, duration)) / HOUR);
  return share > most && share > UNUSUAL_TIMES * expected;
}

/**
 * Whether the guard would not hold these groups, whatever their range still shows: few differ, or no more than usual.
 *
 * @param notedPerHour the highest rate that sweeps and the walk over all groups have shown since that walk's last
 *   cycle; ignored if more than half differ
 */
export function isUsual(
  differing: Differing,
  usual: UsualChange | undefined,
  now: Instant,
  notedPerHour = 0,
): boolean {
  if (usual?.isWhole !== true || !exceeds(differing, USUAL_SHARE, usual, now)) return true;
  const noted = { ...usual, ratePerHour: notedPerHour, learnedAt: now };
  return !exceeds(differing, IMPROBABLE_SHARE, usual, now) && !exceeds(differing, USUAL_SHARE, noted, now);
}

/** Whether an improbable share differs that is published all the same, because it is only a few groups. */
export function isMostOfFew(differing: Differing, usual: UsualChange | undefined, now: Instant): boolean {
  return (
    usual?.isWhole === true &&
    differing.unstamped <= FEWEST_IMPROBABLE &&
    exceeds(differing, IMPROBABLE_SHARE, usual, now)
  );
}

/**
 * Returns how many changes of a group in an hour these groups show; 0 for few groups, and for changes that are
 * published only because they are few: they may be the first of a fault, and would make the rest of it usual.
 */
export function rateOf(differing: Differing, usual: UsualChange | undefined, now: Instant): number {
  const { compared, unstamped, duration } = differing;
  const share = Math.min(unstamped / Math.max(compared, 1), LARGEST_SHARE);
  const saysSomething = compared > FEWEST_IMPROBABLE && duration > 0 && !isMostOfFew(differing, usual, now);
  return saysSomething ? (-Math.log(1 - share) * HOUR) / duration : 0;
}

/** Returns the usual rate after a finished walk that has shown this rate: the most of the last days. */
export function learnUsual(ratePerHour: number, usual: UsualChange | undefined, now: Instant): UsualChange {
  const faded = usual === undefined ? 0 : fadedRate(usual, now);
  return { ratePerHour: Math.max(faded, ratePerHour), learnedAt: now, isWhole: true };
}

function fadedRate({ ratePerHour, learnedAt }: UsualChange, now: Instant): number {
  return ratePerHour * 0.5 ** (Math.max(0, now - learnedAt) / USUAL_HALVES_IN);
}
