// The budget of one process: a token bucket, a tenth of the budget deep. With a depth of b and (B - b + 1) tokens in
// every 60.5 seconds, no 60 seconds hold more than B requests. Whoever takes the source's lease and was not its last
// holder empties it, so the bound holds however many processes take turns.
import { MILLISECOND, SECOND } from '../instant.ts';

export interface Bucket {
  /**
   * How long until a request may be sent, in the unit of Instant; 0 if it may be sent now.
   *
   * @param left tokens to leave for others. @default 0
   */
  wait(left?: number): number;
  /** Half of the tokens: those that are kept for polls of the newest changes. */
  readonly kept: number;
  /** Takes one token. Call it only when {@link wait} is 0. */
  take(): void;
  empty(): void;
  /** No token for this long, and none left after it. */
  pause(duration: number): void;
}

const DEPTH_SHARE = 0.1;
/** Half a second longer than a minute: requests may take that much longer than others to arrive. */
const WINDOW = 60 * SECOND + 500 * MILLISECOND;

/**
 * @param requestsPerMinute the most requests in any 60 seconds, a whole number from 1
 * @param elapsed the clock that never goes back
 */
export function createBucket(requestsPerMinute: number, elapsed: () => number): Bucket {
  const depth = Math.max(1, Math.floor(requestsPerMinute * DEPTH_SHARE));
  const perUnit = (requestsPerMinute - depth + 1) / WINDOW;
  let tokens = depth;
  let filledAt = elapsed();
  let pausedUntil = Number.NEGATIVE_INFINITY;

  function fill(): void {
    const now = Math.max(filledAt, elapsed());
    tokens = Math.min(depth, tokens + (now - Math.max(filledAt, Math.min(pausedUntil, now))) * perUnit);
    filledAt = now;
  }

  return {
    kept: Math.floor(depth / 2),
    wait(left = 0) {
      fill();
      if (filledAt < pausedUntil) return pausedUntil - filledAt;
      return Math.max(0, Math.ceil((1 + left - tokens) / perUnit));
    },
    take() {
      tokens -= 1;
    },
    empty() {
      fill();
      tokens = Math.min(tokens, 0);
    },
    pause(duration) {
      fill();
      tokens = Math.min(tokens, 0);
      pausedUntil = Math.max(pausedUntil, filledAt + duration);
    },
  };
}
