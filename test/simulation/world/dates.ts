// The Dates that a process gets: of five requests in a row at least three tell the true time, or else nobody could say
// which of them do; docs/guarantees.md, "Where they end".
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { httpDate } from '../../../local/reference-service/service/http-date.ts';
import { type Instant, SECOND } from '../../../shared/instant.ts';

export interface Dates {
  /** The answer, with its true Date where one more that is wrong, or left out, would be too many. */
  enough(answer: Answer): Answer;
  /** There was no answer. */
  none(): void;
}

const REQUESTS = 5;
const MOST_UNTRUE = 2;
/** A Date has no fractions, and an answer is dated a moment before it is looked at. */
const TRUE_WITHIN = 2 * SECOND;

/** @param now the service's time, as its true Dates tell it */
export function createDates(now: () => Instant): Dates {
  const isUntrue: boolean[] = [];
  const note = (isAnother: boolean) => {
    isUntrue.push(isAnother);
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
