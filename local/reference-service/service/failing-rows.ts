// Rows that make every answer with them fail, for instance because the service can't serialize a value.
import { type Answer, answerOf } from './answer.ts';

export const FAILING_WAYS = ['500', 'reset', 'cut', 'hang', 'nan'] as const;

/** @param rows the number of rows in the answer */
export function answerWithFailingRow(how: (typeof FAILING_WAYS)[number], rows: number): Answer {
  switch (how) {
    case '500':
      return answerOf(500, 'Internal Server Error', 'text/plain');
    case 'nan':
      return answerOf(200, `[${Array.from({ length: rows }, () => 'NaN').join(',')}]`, 'application/json');
    default:
      return { ...answerOf(200, '[', 'application/json'), delivery: how };
  }
}
