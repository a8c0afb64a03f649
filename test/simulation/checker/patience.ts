// How long a source may take to tell that it is not being read completely.
const MINUTE = 60_000_000;

/**
 * Three polls or five minutes, whichever is longer, and some more polls: the one that has to notice, the one that was
 * under way, and those that fell to other faults.
 */
export function patienceOf(interval: number): number {
  return Math.max(3 * interval, 5 * MINUTE) + 2 * interval + MINUTE;
}

/** Each tick may last a minute where requests hang, and another tick comes after it. */
export const LONG_TICK = 2 * MINUTE;
