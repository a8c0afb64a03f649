// Whether a poll is expected to find little. Little is read at once, up to the open end of the list; where rows move
// up there meanwhile that proves nothing, and its requests were sent in vain. So each such poll puts off the next try,
// for longer the more of them there were one after the other.

/** Polls between two tries at most. */
const LONGEST_WAIT = 7;

export interface Expectation {
  /** At a poll's begin: whether it may be read at once. A poll that is then cut off has found more. */
  begin(): boolean;
  /** @param wasLittle whether a few requests were enough, and none was sent in vain */
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
