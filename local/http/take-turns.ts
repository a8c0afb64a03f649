/** Thrown at once instead of waiting. */
export class TooBusyError extends Error {
  override readonly name = 'TooBusyError';

  constructor() {
    super('Too many pages are open at once. Close some, or load this page again in a moment.');
  }
}

/**
 * Returns a function that runs at most `atOnce` works at a time; the others wait, in order. A page makes dozens of reads,
 * and reads that wait too long for a connection fail.
 *
 * @param mostWaiting further works throw {@link TooBusyError}: whoever waits for so many others gets no answer in time
 */
export function takeTurns(
  atOnce: number,
  mostWaiting: number,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running += 1;
    else if (waiting.length >= mostWaiting) throw new TooBusyError();
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
