// How fast requests were completed lately, with everything that belongs to them: waiting for the budget, the service
// and the saves. It shows how many pages there is time for, so that no range is begun that the tick's end would cut
// off.
import { MILLISECOND, MINUTE } from '../instant.ts';

/** A guess until the first measurement. */
const FIRST_GUESS = 250 * MILLISECOND;
/** Fewer requests are no reliable measurement; they count together with the next ones. */
const FEWEST_REQUESTS = 5;
/** The weight of the newest measurement against the earlier ones. */
const NEWEST_SHARE = 0.5;

export interface Pace {
  /** Notes that this many sequential requests took this long, in the unit of Instant. */
  note(requests: number, duration: number): void;
  /** How many requests there is time for within this long, in the unit of Instant. */
  requestsIn(duration: number): number;
}

/** @param requestsPerMinute the budget, an upper bound of the pace */
export function createPace(requestsPerMinute: number): Pace {
  const least = MINUTE / requestsPerMinute;
  let each: number | undefined;
  let noted = { requests: 0, duration: 0 };
  return {
    note(requests, duration) {
      if (requests === 0) return;
      noted = { requests: noted.requests + requests, duration: noted.duration + duration };
      // After one slow measurement there may be room for a few requests at a time; only these can show that it is over.
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
