// Ends the feed from any of its parts, also between two ticks.
import { explainFullDisk } from './full-disk.ts';

export interface FeedFailure {
  /** Rejects once the feed has failed. */
  readonly failed: Promise<never>;
  readonly fail: (error: Error) => void;
  /** Throws the error, in words that say what to do if it is of a full disk. */
  readonly explain: (error: unknown) => never;
}

/** Collects failures that end the feed at any time: the directory is lost, or its disk is full. */
export function createFeedFailure(dataDir: string | undefined): FeedFailure {
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = (error) => reject(explainFullDisk(error, dataDir));
  });
  // Prevents an unhandled rejection if no caller waits for `failed`.
  failed.catch(() => {});
  const explain = (error: unknown): never => {
    throw explainFullDisk(error, dataDir);
  };
  return { failed, fail, explain };
}
