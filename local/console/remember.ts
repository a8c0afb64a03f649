// Remembers an answer, so that open pages ask AWS for it at most once in a while, however many there are.

interface Remembered<Answer> {
  readonly answer: Promise<Answer>;
  readonly untilMs: number;
}

/**
 * Returns the answer of the last call that was not longer ago, or asks again. A failure is remembered as well: a page
 * that may not ask must not ask at each round.
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
