// A full disk in one sentence: each part of the feed meets it at every write, and reports it in the engine's words.
import type { Log, LogFields } from '../../shared/ports.ts';
import { OutputError } from '../cli/write-whole.ts';

/** SQLite's words in the engine's answers, and the operating system's. */
const FULL = /database or disk is full|ENOSPC|no space left on device/i;

/** Thrown when the disk of the data directory is full. */
export class FullDiskError extends Error {
  override readonly name = 'FullDiskError';
}

/** Returns a FullDiskError if the error says that the disk is full, otherwise the error itself. */
export function explainFullDisk(error: unknown, dataDir: string | undefined): unknown {
  // Standard output may be on another disk.
  if (dataDir === undefined || error instanceof OutputError || !isFullDisk(error)) return error;
  return new FullDiskError(
    `The disk of the data directory ${dataDir} is full. Free some space, then run the command again: it ` +
      'continues where it stopped.',
    { cause: error },
  );
}

/** The log without entries that say that the disk is full: for the first one, `onFull` is called instead. */
export function withoutFullDisk(log: Log, onFull: (error: Error) => void): Log {
  const unlessFull = (write: Log['warn']) => (message: string, fields?: LogFields) => {
    const full = Object.values(fields ?? {}).find((value) => value instanceof Error && isFullDisk(value));
    if (full instanceof Error) onFull(full);
    else write(message, fields);
  };
  return { ...log, warn: unlessFull(log.warn), error: unlessFull(log.error) };
}

function isFullDisk(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (FULL.test(each.message)) return true;
  return false;
}
