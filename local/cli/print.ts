// Printing lines on a stream. A line counts as written once the stream has accepted it.

export interface Printer {
  readonly isTerminal: boolean;
  /** Prints a line. Resolves when the stream has accepted it. */
  line(text: string): Promise<void>;
  /** On a terminal, prints a line that the next one overwrites; does nothing elsewhere. */
  status(text: string): void;
  /** Removes the status line, so that another stream can write to the same terminal. */
  clear(): void;
}

export function createPrinter(stream: NodeJS.WriteStream): Printer {
  let hasStatus = false;
  const clear = () => {
    if (hasStatus) stream.write('\r\u001b[2K');
    hasStatus = false;
  };
  return {
    isTerminal: stream.isTTY === true,
    line(text) {
      clear();
      return new Promise((resolve, reject) => {
        stream.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    status(text) {
      if (!stream.isTTY) return;
      clear();
      stream.write(text.slice(0, Math.max(0, (stream.columns ?? 80) - 1)));
      hasStatus = true;
    },
    clear,
  };
}

/**
 * Exits with 0 when the reader of the stream has gone (`| head`): that is no failure, but no more events can be
 * delivered. If state is kept, the next run delivers the rest.
 */
export function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
