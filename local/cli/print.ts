// Printing lines on a stream. A line counts as written once the stream, or the file behind it, has accepted all of it.
// No line has a mark that a terminal would act on, whatever the service's texts hold.
import { formatFailure } from './failures.ts';
import { escapeMarks } from './printable.ts';
import { cutTo } from './wrap.ts';
import { isFile, OutputError, writeWhole } from './write-whole.ts';

export type Printer = ReturnType<typeof createPrinter>;

/** Outside of a terminal, when the first progress is printed, and how often others are. */
const FIRST_PROGRESS_MS = 500;
const PROGRESS_EVERY_MS = 10_000;

/**
 * @param stream with a file's descriptor if there is one
 * @param now milliseconds since some moment
 */
export function createPrinter(
  stream: NodeJS.WriteStream & { readonly fd?: number },
  now: () => number = () => performance.now(),
) {
  let hasStatus = false;
  let nextProgressAt = now() + FIRST_PROGRESS_MS;
  const file = isFile(stream.fd) ? stream.fd : undefined;
  /** Removes the status line, so that another stream can write to the same terminal. */
  const clear = () => {
    if (hasStatus) stream.write('\r\u001b[2K');
    hasStatus = false;
  };
  /** On a terminal, prints a line that the next one overwrites; does nothing elsewhere. */
  function status(text: string): void {
    if (!stream.isTTY) return;
    clear();
    stream.write(cutTo(escapeMarks(text), (stream.columns || 80) - 1));
    hasStatus = true;
  }
  return {
    isTerminal: stream.isTTY === true,
    /** Prints a line. Resolves when the stream has accepted it. @throws {OutputError} if a file can't take it */
    async line(text: string): Promise<void> {
      clear();
      const line = `${escapeMarks(text)}\n`;
      if (file !== undefined) return writeWhole(file, line);
      return new Promise((resolve, reject) => {
        stream.write(line, (error) => (error ? reject(error) : resolve()));
      });
    },
    status,
    /** Of a command that ends: as {@link status}; outside of a terminal prints a line now and then. */
    progress(text: string): void {
      if (stream.isTTY) status(text);
      else if (now() >= nextProgressAt) {
        nextProgressAt = now() + PROGRESS_EVERY_MS;
        stream.write(`${escapeMarks(text)}\n`);
      }
    },
    clear,
  };
}

/**
 * Exits with 0 when the reader of the stream has gone (`| head`). For a command that never ends by itself that is a
 * failure: nobody gets its events any more. Any other failure of standard output ends with an error.
 */
export function endWithReader(stream: NodeJS.WriteStream, isEndless = false): void {
  stream.on('error', (error) => {
    const hasGone = 'code' in error && error.code === 'EPIPE';
    if (hasGone && !isEndless) process.exit(0);
    // Any other failure of stderr loses nothing but the log: work goes on.
    if (stream === process.stderr && !hasGone) return;
    process.stderr.write(`${formatFailure(new OutputError(error))}\n`);
    process.exit(1);
  });
}
