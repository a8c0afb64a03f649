// Answers of a service whose Dates may be wrong, to a machine whose clock is wrong too.
import { HOUR, type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { Exchange } from '../../../shared/pacing/service-clock.ts';

export const NOON: Instant = Date.UTC(2026, 10, 20, 12) * MILLISECOND;

export interface Answered {
  /** Seconds past noon by the service, and the elapsed time. */
  readonly at: number;
  /** The lead of its Date; undefined without a Date. */
  readonly dateAhead: number | undefined;
  /** The lead of the local clock. @default an hour */
  readonly localAhead?: number;
}

/** An answer that took 40 ms: 15 ms to the service and 25 ms back. */
export function exchangeOf({ at, dateAhead, localAhead = HOUR }: Answered): Exchange {
  const generated = NOON + at * SECOND;
  const sent = at * SECOND - 15 * MILLISECOND;
  const received = at * SECOND + 25 * MILLISECOND;
  return {
    sentElapsed: sent,
    sentNow: NOON + sent + localAhead,
    receivedElapsed: received,
    receivedNow: NOON + received + localAhead,
    date: dateAhead === undefined ? undefined : Math.floor((generated + dateAhead) / SECOND) * SECOND,
  };
}
