import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, parseStamp } from '../../shared/instant.ts';

const instantOf = (text: string) => parseStamp(text)?.instant ?? Number.NaN;
const BEGINNING = '0000-01-01T00:00:00.000000Z';
const END = '9999-12-31T23:59:59.999999Z';

describe('a stamp', () => {
  it.each(['0000', '0001', '0004', '0050', '0099', '0100', '1899', '2026', '9999'])(
    'of the year %s is an instant of that year',
    (year) => {
      expect(instantOf(`${year}-03-01T00:00:00Z`)).toBe(Date.parse(`${year}-03-01T00:00:00Z`) * 1_000);
    },
  );

  it('of a year before 100 follows the leap years of the calendar', () => {
    expect(parseStamp('0004-02-29T00:00:00Z')).toBeDefined();
    expect(parseStamp('0099-02-29T00:00:00Z')).toBeUndefined();
  });

  it('of a leap second is the last microsecond of its minute, which keeps the order', () => {
    const texts = ['2016-12-31T23:59:59.9Z', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'];

    expect(formatInstant(instantOf('2016-12-31T23:59:60.5Z'))).toBe('2016-12-31T23:59:59.999999Z');
    expect(formatInstant(instantOf('2017-01-01T00:59:60+01:00'))).toBe('2016-12-31T23:59:59.999999Z');
    expect(texts.map(instantOf)).toEqual([...texts.map(instantOf)].sort((a, b) => a - b));
    expect(parseStamp('2016-12-31T23:59:61Z')).toBeUndefined();
  });
});

describe('an instant as a text', () => {
  it.each([
    ['9999-12-31T23:59:59.999999-12:00', END],
    ['9999-12-31T23:59:59.999999Z', END],
    ['9999-12-31T23:59:59-00:01', END],
    ['0000-01-01T00:00:00+14:00', BEGINNING],
    ['0000-01-01T00:00:00Z', BEGINNING],
  ])('has a year of four digits: %s', (text, formatted) => {
    expect(formatInstant(instantOf(text))).toBe(formatted);
  });

  it('has four digits of year and six of a second for every instant', () => {
    const day = 86_400 * 1_000_000;
    const instants = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: -80_000, max: 80_000 }).map((days) => days * day - 1),
      fc.integer({ min: 0, max: 3_000_000 }).map((days) => Math.round(days * day + 0.999999e6)),
      fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Infinity),
    );

    fc.assert(
      fc.property(instants, (instant) => {
        expect(formatInstant(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      }),
    );
  });

  it('is parsed into the instant that it was formatted from', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000_000, max: 9_000_000_000_000_000 }), (instant) => {
        if (Math.abs(instant) > Number.MAX_SAFE_INTEGER) return;
        expect(instantOf(formatInstant(instant))).toBe(instant);
      }),
    );
  });
});
