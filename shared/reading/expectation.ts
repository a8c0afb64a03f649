// Predicts whether a poll finds little. A poll that expects little reads everything at once, up to the open end of the
// list. If rows move up there meanwhile, that proves nothing and its requests are wasted. So each such failure delays
// the next try, and longer after each failure in a row.

/** The most polls between two tries. */
const LONGEST_WAIT = 7;

export interface Expectation {
  /** Call when a poll begins: whether it may read everything at once. A poll that is then cut off counts as large. */
  begin(): boolean;
  /** @param wasLittle whether a few requests were enough and none was wasted */
  end(wasLittle: boolean): void;
}

export function createExpectation(): Expectation {
  let isLittle = true;
  let isTried: boolean | undefined;
  let failures = 0;
  let pollsToWait = 0;
  return {
    begin() {
      const tries = isLittle;
      isTried = tries;
      isLittle = false;
      return tries;
    },
    end(wasLittle) {
      if (isTried) {
        failures = wasLittle ? 0 : failures + 1;
        pollsToWait = Math.min(2 ** failures - 1, LONGEST_WAIT);
      } else {
        pollsToWait -= 1;
      }
      isLittle = wasLittle && pollsToWait <= 0;
    },
  };
}
