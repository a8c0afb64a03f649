// The maximum time until a source reports that it is not being read completely.
const MINUTE = 60_000_000;

/**
 * Three polls or five minutes, whichever is longer, and some more polls: one that notices, one that was in progress, and
 * some that other faults prevent.
 */
export function patienceOf(interval: number): number {
  return Math.max(3 * interval, 5 * MINUTE) + 2 * interval + MINUTE;
}

/** If requests hang, each tick may last a minute, and another tick follows it. */
export const LONG_TICK = 2 * MINUTE;
