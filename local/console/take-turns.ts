/**
 * Returns a function that runs at most `atOnce` works at a time; the others wait, in order. A page makes dozens of reads,
 * and reads that wait too long for a connection fail.
 */
export function takeTurns(atOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running += 1;
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
