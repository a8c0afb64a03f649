// The Dates that a process receives. At least three of five consecutive requests have a true Date, because otherwise the
// feed can't know which ones are true; docs/guarantees.md, "Where they end".
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { httpDate } from '../../../local/reference-service/service/answer.ts';
import { type Instant, SECOND } from '../../../shared/instant.ts';

export interface Dates {
  /** Returns the answer, with a corrected Date if another wrong or missing Date would be too many. */
  enough(answer: Answer): Answer;
  /** Records a request without an answer. */
  none(): void;
}

const REQUESTS = 5;
const MOST_UNTRUE = 2;
/** A Date has no fractions, and is set a moment before the answer is read. */
const TRUE_WITHIN = 2 * SECOND;

/** @param now the service's true time */
export function createDates(now: () => Instant): Dates {
  const isUntrue: boolean[] = [];
  const note = (isWrong: boolean) => {
    isUntrue.push(isWrong);
    if (isUntrue.length >= REQUESTS) isUntrue.shift();
  };
  return {
    enough(answer) {
      const { date } = answer.headers;
      const isTrue = date !== undefined && Math.abs(Date.parse(date) * 1_000 - now()) <= TRUE_WITHIN;
      const isMended = !isTrue && isUntrue.filter(Boolean).length >= MOST_UNTRUE;
      note(!isTrue && !isMended);
      return isMended ? { ...answer, headers: { ...answer.headers, date: httpDate(now()) } } : answer;
    },
    none: () => note(true),
  };
}
