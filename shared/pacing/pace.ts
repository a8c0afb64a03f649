// How fast requests were got through lately, all that goes with them included: waiting for the budget, the service,
// saving what came. Who reads a range can tell from it how many pages there is time for, and so begins none that the
// tick's end would cut off.
import { type Instant, MILLISECOND, MINUTE } from '../instant.ts';

/** A guess until the first measurement. */
const FIRST_GUESS = 250 * MILLISECOND;
/** Fewer say little; they count together with the next. */
const FEWEST_REQUESTS = 5;
/** What the newest measurement counts against those before. */
const NEWEST_SHARE = 0.5;

export interface Pace {
  /** So many requests, one after the other, took so long, in the unit of Instant. */
  note(requests: number, duration: Instant): void;
  /** How many requests there is time for. */
  requestsIn(duration: Instant): number;
}

/** @param requestsPerMinute none of them is faster than that for long */
export function createPace(requestsPerMinute: number): Pace {
  const least = MINUTE / requestsPerMinute;
  let each: number | undefined;
  let noted = { requests: 0, duration: 0 };
  return {
    note(requests, duration) {
      if (requests === 0) return;
      noted = { requests: noted.requests + requests, duration: noted.duration + duration };
      // Where one slow measurement leaves room for a few requests at a time, these alone can show that it is over.
      if (noted.requests < FEWEST_REQUESTS) return;
      const measured = noted.duration / noted.requests;
      noted = { requests: 0, duration: 0 };
      each = each === undefined ? measured : each + (measured - each) * NEWEST_SHARE;
    },
    requestsIn(duration) {
      return Math.max(0, Math.floor(duration / (each ?? Math.max(least, FIRST_GUESS))));
    },
  };
}
