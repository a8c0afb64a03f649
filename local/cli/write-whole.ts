// Whole lines in a file. Node's stream of a file ignores that a full disk took only a part of a line, and counts the
// line as written.
import { fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { messageOf } from './failures.ts';

/** Thrown when standard output can't be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(cause: unknown) {
    const hasGone = (cause as { readonly code?: unknown }).code === 'EPIPE';
    const [reason, advice] = hasGone
      ? ['its reader has gone', 'Run both again']
      : [messageOf(cause), 'Correct that, for instance free disk space, and run the command again'];
    super(
      `Standard output can't be written: ${reason}. ${advice}. Only "watch --data" continues where it stopped.`,
      { cause },
    );
  }
}

/**
 * Appends the text to the file. If that fails in the middle, removes the part again, so that the next text does not
 * continue it.
 *
 * @throws {OutputError} if the file does not have the whole text
 */
export function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  const size = fstatSync(fd).size;
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    // Not if another process has written meanwhile.
    if (written > 0 && fstatSync(fd).size === size + written) ftruncateSync(fd, size);
    throw new OutputError(error);
  }
}

export function isFile(fd: number | undefined): fd is number {
  return fd !== undefined && fstatSync(fd).isFile();
}
