import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER_BOUNDS, ROW_BOUNDS } from '../../../shared/limits.ts';
import { decodeRows } from '../../../shared/returns-service/decode-answer.ts';
import { AnswerTooLargeError, ReturnsServiceError } from '../../../shared/returns-service/errors.ts';

function rowsOf(text: string): unknown[] {
  const body = new TextEncoder().encode(text);
  return [...decodeRows({ status: 200, headers: {}, body, requestMs: 1 })].map(({ raw }) => raw);
}

function outcomeOf(text: string): unknown {
  try {
    return rowsOf(text);
  } catch (error) {
    if (error instanceof ReturnsServiceError) return 'refused';
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : 'refused';
  } catch {
    return 'refused';
  }
}

describe('an answer decoded row by row', () => {
  it('has the rows that JSON.parse reads, however they are written', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), spaces, (rows, space) => {
        const text = ` ${JSON.stringify(rows, null, space)}\r\n`;

        expect(rowsOf(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused if JSON.parse refuses it, wherever it is broken', () => {
    const pieces = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '\\',
      '1',
      '"a"',
      ' ',
      'null',
      '{"a":1}',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (broken) => {
        const text = broken.join('');

        expect(outcomeOf(text)).toEqual(parsed(text));
        expect(outcomeOf(`[${text}]`)).toEqual(parsed(`[${text}]`));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['[\uFEFF{}]', '[{},\uFEFF1]', '\uFEFF\uFEFF[]'])(
    'may have no byte order mark inside: %j',
    (text) => {
      expect(outcomeOf(text)).toBe('refused');
    },
  );

  it.each([
    ['rows', `[${'0,'.repeat(ANSWER_BOUNDS.rows)}0]`],
    ['entities', `[${`[[${'[],'.repeat(9_000)}[]]],`.repeat(ANSWER_BOUNDS.entities / 8_000)}0]`],
    ['values', `[${`[${'0,'.repeat(100_000)}0],`.repeat(ANSWER_BOUNDS.values / 100_000)}0]`],
  ])('is too large with too many %s', (_, text) => {
    expect(() => rowsOf(text)).toThrow(AnswerTooLargeError);
  });

  it.each([
    ['entities', `[[[${'[],'.repeat(ROW_BOUNDS.entities)}[]]]]`],
    ['objects', `[[${'[],'.repeat(ROW_BOUNDS.objects)}[]]]`],
    ['values', `[[${'0,'.repeat(ROW_BOUNDS.values)}0]]`],
    ['levels', `[${'['.repeat(ROW_BOUNDS.levels + 1)}${']'.repeat(ROW_BOUNDS.levels + 1)}]`],
  ])('is too large with too many %s in a row', (_, text) => {
    expect(() => rowsOf(text)).toThrow(AnswerTooLargeError);
  });
});
