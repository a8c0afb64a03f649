// Caches an answer of AWS, so that the number of requests does not depend on the number of open pages.

interface Remembered<Answer> {
  readonly answer: Promise<Answer>;
  readonly untilMs: number;
}

/**
 * Returns the last answer while it is younger than `forMs`, or else asks again. Failures are cached as well, so that a
 * page without permission does not repeat its request at every update.
 *
 * @param now milliseconds since the epoch
 */
export function remember<Answer>(
  forMs: number,
  now: () => number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let last: Remembered<Answer> | undefined;
  return () => {
    const nowMs = now();
    if (last === undefined || last.untilMs <= nowMs) last = { answer: ask(), untilMs: nowMs + forMs };
    return last.answer;
  };
}
