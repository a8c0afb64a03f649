// Ends the feed from any of its parts, also between two ticks.
import type { Log, LogFields } from '../../shared/ports.ts';
import { OutputError } from '../cli/write-whole.ts';
import { FullDiskError, LostDatabaseError } from '../store/store-error.ts';

export interface FeedFailure {
  /** Aborted once the feed has failed. */
  readonly signal: AbortSignal;
  /** Rejects once the feed has failed. A race with it at each tick would keep a little of each race for ever. */
  readonly failed: Promise<never>;
  readonly fail: (error: Error) => void;
  /** Throws the failure that has ended the feed, of which the error is a consequence; the error itself if there is none. */
  readonly explain: (error: unknown) => never;
  /** The log without the entries that end the feed: each part meets such an error at every write. */
  watch(log: Log): Log;
}

/** The errors after which no event can be saved or handed over, until an operator has removed the cause. */
export function createFeedFailure(): FeedFailure {
  let first: Error | undefined;
  let fail: (error: Error) => void = () => {};
  const failing = new AbortController();
  const failed = new Promise<never>((_, reject) => {
    fail = (error) => {
      first ??= error;
      reject(first);
      failing.abort();
    };
  });
  // Prevents an unhandled rejection if no caller waits for `failed`.
  failed.catch(() => {});
  const unlessFatal = (write: Log['warn']) => (message: string, fields?: LogFields) => {
    const fatal = Object.values(fields ?? {})
      .map(fatalIn)
      .find((error) => error !== undefined);
    if (fatal === undefined) write(message, fields);
    else fail(fatal);
  };
  return {
    signal: failing.signal,
    failed,
    fail,
    explain(error) {
      throw first ?? fatalIn(error) ?? error;
    },
    watch: (log) => ({ ...log, warn: unlessFatal(log.warn), error: unlessFatal(log.error) }),
  };
}

const FATAL = [FullDiskError, LostDatabaseError, OutputError];

/** The error among an error and its causes that ends the feed. */
function fatalIn(error: unknown): Error | undefined {
  if (FATAL.some((kind) => error instanceof kind)) return error as Error;
  return error instanceof Error ? fatalIn(error.cause) : undefined;
}
