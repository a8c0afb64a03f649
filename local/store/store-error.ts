// What the files of a data directory can do to a feed, each in a sentence with the way out.
import { resultCode } from './sqlite.ts';

/** Thrown when the data directory can't be used as it is. The message says why, and what to do. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
}

/** Thrown when the disk of the data directory is full. */
export class FullDiskError extends StoreError {
  override readonly name = 'FullDiskError';
}

/** Thrown when the database, or the lock of `watch`, was deleted, moved or replaced under an open connection. */
export class LostDatabaseError extends StoreError {
  override readonly name = 'LostDatabaseError';
}

const [BUSY, READONLY, IO_ERROR, CORRUPT, FULL, CANT_OPEN, NOT_A_DATABASE] = [5, 8, 10, 11, 13, 14, 26];

/** Returns a StoreError for an error of SQLite that an operator can do something about, otherwise the error itself. */
export function explainStoreError(cause: unknown, file: string): unknown {
  const say = (text: string) => new StoreError(`${file} ${text}`, { cause });
  // The file beside the database is written without SQLite.
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
  switch (isFull ? FULL : resultCode(cause)) {
    case FULL:
      return new FullDiskError(
        `The disk of ${file} is full. Free some space, then run the command again: it continues where it stopped.`,
        { cause },
      );
    case CORRUPT:
      return say(`is damaged. ${RESTORE}`);
    case NOT_A_DATABASE:
      return say('is no database of a feed. Move it away, or name another directory.');
    case BUSY:
      return say(
        'has been held by another program for five minutes. End the transaction that it left open, or the program, then run ' +
          'the command again: it continues where it stopped.',
      );
    case READONLY:
    case CANT_OPEN:
      // SQLite has one code for all reasons.
      return say(
        'can not be written: check its owner and its rights, those of its directory, and that the command may open ' +
          'enough files ("ulimit -n").',
      );
    case IO_ERROR:
      return say('can not be read or written: the disk reports an error, or has no space left.');
    default:
      return cause;
  }
}

/** What to do when the database is lost. A -wal file that stayed would damage the backup. */
export const RESTORE =
  'Delete its files (feed.db, feed.db-wal, feed.db-shm), put a backup ("returns-feed backup") in place of feed.db, and ' +
  'begin a new generation of each source with "returns-feed sources restore"; or begin anew in an empty directory.';
