import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import {
  MAX_RETRY_AFTER_MS,
  parseAge,
  parseHttpDate,
  parseRetryAfter,
} from '../../../shared/returns-service/http-headers.ts';

const NOON = 'Sat, 21 Nov 2026 12:00:00 GMT';
const noon = Date.UTC(2026, 10, 21, 12) * 1_000;

describe('an Age header', () => {
  it.each([
    ['0', 0],
    ['300', 300],
    [' 300 ', 300],
    ['300, 12', 300],
  ])('is a duration: "%s"', (text, seconds) => {
    expect(parseAge(text)).toBe(seconds * SECOND);
  });

  it.each([undefined, '', '-1', '1.5', '5 minutes', '12345678901', NOON])(
    'that is invalid is undefined: %j',
    (text) => {
      expect(parseAge(text)).toBeUndefined();
    },
  );
});

describe('a Date header', () => {
  it('is an instant', () => {
    expect(parseHttpDate(NOON)).toBe(noon);
  });

  it.each([
    undefined,
    '',
    'now',
    '2026-11-21T12:00:00Z',
    'Sat Nov 21 12:00:00 2026',
    'Sat, 21 Nov 2026 12:00:00 +0200',
    'Sat, 21 Foo 2026 12:00:00 GMT',
    `${NOON}, ${NOON}`,
  ])('that is invalid is undefined: %j', (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    ['1.5', 1_500],
    ['999999999', MAX_RETRY_AFTER_MS],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Sun, 21 Nov 2027 12:00:00 GMT', MAX_RETRY_AFTER_MS],
  ])('%j is a wait of %d ms', (text, waitMs) => {
    expect(parseRetryAfter(text, noon)).toEqual({ ms: waitMs });
  });

  it('with a date is that moment if the answer has no date', () => {
    expect(parseRetryAfter('Sat, 21 Nov 2026 12:00:00 GMT', undefined)).toEqual({ at: noon });
  });

  it('of any text is within zero and its maximum', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
        const waitMs = parseRetryAfter(text, noon)?.ms ?? 0;

        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
      }),
    );
  });
});
