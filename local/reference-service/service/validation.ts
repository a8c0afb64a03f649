// Parses parameters as documented: all are optional and may be null. A wrong type gets a 422 with the document's body
// ("Errors") in FastAPI's words.

import type { Instant } from '../../../shared/instant.ts';
import type { StampForms } from '../showing/stamp-form.ts';
import { type Answer, jsonAnswer } from './answer.ts';

export interface Problem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ParameterReader {
  text(name: string): string | undefined;
  integer(name: string, least?: number): number | undefined;
  dateTime(name: string): Instant | undefined;
  /** The problems with the parameters read so far. */
  readonly problems: readonly Problem[];
}

export function createParameterReader(query: URLSearchParams, stamps: StampForms): ParameterReader {
  const problems: Problem[] = [];

  const text = (name: string): string | undefined => {
    // The last value of a repeated parameter counts.
    const value = query.getAll(name).at(-1);
    return value === 'null' ? undefined : value;
  };

  const refuse = (name: string, msg: string, type: string): undefined => {
    problems.push(problemWith(name, msg, type));
  };

  return {
    problems,
    text,
    integer(name, least = Number.NEGATIVE_INFINITY) {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      if (!/^[+-]?\d{1,20}$/.test(value))
        return refuse(
          name,
          'Input should be a valid integer, unable to parse string as an integer',
          'int_parsing',
        );
      if (Number(value) < least)
        return refuse(name, `Input should be greater than or equal to ${least}`, 'greater_than_equal');
      return Number(value);
    },
    dateTime(name) {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      const { read } = name.endsWith('created_at') ? stamps.created : stamps.other;
      return (
        read(value) ?? refuse(name, 'Input should be a valid datetime or date', 'datetime_from_date_parsing')
      );
    },
  };
}

export function problemWith(name: string, msg: string, type: string): Problem {
  return { loc: ['query', name], msg, type };
}

export function validationAnswer(problems: readonly Problem[]): Answer {
  return jsonAnswer(422, { detail: problems });
}
