// Lines for people and programs. A line counts as written once the stream has taken it.

export interface Printer {
  /** Resolves when the line was taken. */
  line(text: string): Promise<void>;
  /** A line that the next one overwrites where that is possible; nothing elsewhere. */
  status(text: string): void;
  /** Takes the status line away, for somebody else who writes to the same terminal. */
  clear(): void;
}

export function createPrinter(stream: NodeJS.WriteStream): Printer {
  let hasStatus = false;
  const clear = () => {
    if (hasStatus) stream.write('\r\u001b[2K');
    hasStatus = false;
  };
  return {
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
 * Ends the process when nobody reads the stream any more (`| head`): that is no failure, but nothing can be handed
 * over either. What was not taken by then comes again where state is kept.
 */
export function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
