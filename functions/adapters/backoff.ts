// The SDK retries requests that fail as a whole. It does not retry partial failures in an answer: unprocessed keys, a
// transaction that conflicts with another one, a throttled statement of a batch. Retries of those wait here.
import type { Clock } from '../../shared/ports.ts';

/** The dependencies of waiting. */
export interface Patience {
  readonly clock: Clock;
  /** From 0 to below 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** The most failed tries in a row, including the first; with full jitter 8 take 2.6 s on average. */
export const MAX_FRUITLESS_TRIES = 8;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Waits after a failed try (1 for the first): exponential, capped, with full jitter. */
export function backOff({ clock, random = Math.random }: Patience, fruitlessTries: number): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (fruitlessTries - 1));
  return clock.sleep(random() * longest);
}

const PASSING: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'InternalServerError',
]);

/** Whether the code of one item of a transaction or batch names temporary trouble. */
export function isPassing(code: string | undefined): boolean {
  return PASSING.has(code);
}
