// Ends the feed from any of its parts, also between two ticks.
import { explainFullDisk } from './full-disk.ts';

export interface FeedFailure {
  /** Rejects once the feed has failed. */
  readonly failed: Promise<never>;
  readonly fail: (error: Error) => void;
  /**
   * Throws the failure that has ended the feed, of which the error is a consequence. If there is none, throws the error,
   * in words that say what to do if it is of a full disk.
   */
  readonly explain: (error: unknown) => never;
}

/** Collects failures that end the feed at any time: the directory or its engine is lost, or its disk is full. */
export function createFeedFailure(dataDir: string | undefined): FeedFailure {
  let first: unknown;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = (error) => {
      first ??= explainFullDisk(error, dataDir);
      reject(first);
    };
  });
  // Prevents an unhandled rejection if no caller waits for `failed`.
  failed.catch(() => {});
  const explain = (error: unknown): never => {
    throw first ?? explainFullDisk(error, dataDir);
  };
  return { failed, fail, explain };
}
