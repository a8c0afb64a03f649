// When a failed request is retried: capped exponential pauses with full jitter
// (https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/), few in a row, and only as long
// as successes pay for them, so that a service that is down gets no more requests than one that works.

/** Tries of one request, including the first. If a fifth of all answers fail, one request in 3,000 fails for good. */
export const MAX_TRIES = 5;
const SHORTEST_MS = 500;
const LONGEST_MS = 20_000;
/** Retries that may be made without a success in between. */
const CREDIT = 10;

/**
 * @param failures in a row, from 1
 * @param random from 0 to below 1
 */
export function retryPauseMs(failures: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (failures - 1)));
}

export interface RetryCredit {
  /** Whether one more retry may be made; it is counted. */
  spend(): boolean;
  /** A success pays for one retry. */
  earn(): void;
}

export function createRetryCredit(): RetryCredit {
  let credit = CREDIT;
  return {
    spend() {
      if (credit === 0) return false;
      credit -= 1;
      return true;
    },
    earn() {
      credit = Math.min(CREDIT, credit + 1);
    },
  };
}
