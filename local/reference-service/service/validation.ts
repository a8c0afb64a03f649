// Parses parameters as documented: all are optional and may be null. A wrong type gets a 422 with the document's body
// ("Errors") in FastAPI's words.

import type { Instant } from '../../../shared/instant.ts';
import type { StampForm } from '../showing/stamp-form.ts';
import { type Answer, jsonAnswer } from './answer.ts';

interface Problem {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

export interface ParameterReader {
  text(name: string): string | undefined;
  integer(name: string, least?: number, most?: number): number | undefined;
  dateTime(name: string): Instant | undefined;
  /** The problems with the parameters read so far. */
  readonly problems: readonly Problem[];
}

export function createParameterReader(query: URLSearchParams, stamps: StampForm): ParameterReader {
  const problems: Problem[] = [];

  const text = (name: string): string | undefined => {
    // The last value of a repeated parameter counts.
    const value = query.getAll(name).at(-1)?.trim();
    return value === 'null' ? undefined : value;
  };

  const refuse = (name: string, should: string, type: string): undefined => {
    problems.push({ loc: ['query', name], msg: `Input should be ${should}`, type });
  };

  return {
    problems,
    text,
    integer(name, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^[+-]?\d{1,20}$/.test(value))
        return refuse(name, 'a valid integer, unable to parse string as an integer', 'int_parsing');
      if (Number(value) < least)
        return refuse(name, `greater than or equal to ${least}`, 'greater_than_equal');
      if (Number(value) > most) return refuse(name, `less than or equal to ${most}`, 'less_than_equal');
      return Number(value);
    },
    dateTime(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      return stamps.read(value) ?? refuse(name, 'a valid datetime or date', 'datetime_from_date_parsing');
    },
  };
}

export function validationAnswer(problems: readonly Problem[]): Answer {
  return jsonAnswer(422, { detail: problems });
}
