// The SDK tries again whatever failed as a whole. What it does not look at is trouble inside an answer: keys left
// unprocessed, a transaction that met another one, a statement of a batch that was throttled. Those wait here.
import type { Clock } from '../../shared/ports.ts';

/** What waiting takes. */
export interface Patience {
  readonly clock: Clock;
  /** From 0 up to 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** Tries in a row that got nowhere, the first included; with full jitter 8 take 2.6 s on average. */
export const MAX_FRUITLESS_TRIES = 8;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Waits after a try that got nowhere (1 for the first): exponential, capped, with full jitter. */
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

/** Whether the code of one item of a transaction or batch names trouble that passes. */
export function isPassing(code: string | undefined): boolean {
  return PASSING.has(code);
}
