import { describe, expect, it } from 'vitest';
import { parseStamp, SECOND } from '../../../shared/instant.ts';
import { boundsOf, formatBound, inDigits } from '../../../shared/reading/bounds.ts';
import { learnStamps, UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { aRow } from './some-rows.ts';

const AT = Date.UTC(2026, 10, 20, 10, 15, 2) * 1_000 + 123_456;

describe('a bound has the form of the stamps', () => {
  it.each([
    { precision: 6, zoned: true, text: '2026-11-20T10:15:02.123456Z' },
    { precision: 3, zoned: true, text: '2026-11-20T10:15:02.123Z' },
    { precision: 1, zoned: true, text: '2026-11-20T10:15:02.1Z' },
    { precision: 0, zoned: true, text: '2026-11-20T10:15:02Z' },
    { precision: 6, zoned: false, text: '2026-11-20T10:15:02.123456' },
    { precision: 0, zoned: false, text: '2026-11-20T10:15:02' },
  ])('$precision digits, zone: $zoned', ({ text, ...form }) => {
    const bound = formatBound(AT, form);

    expect(bound).toBe(text);
  });

  it.each([
    { stamp: '2026-11-20T10:15:02.123456Z', text: '2026-11-20T10:15:02.123456Z' },
    { stamp: '2026-11-20T10:15:02.123+00:00', text: '2026-11-20T10:15:02.123Z' },
    { stamp: '2026-11-20T12:15:02+02:00', text: '2026-11-20T10:15:02Z' },
    { stamp: '2026-11-20 10:15:02', text: '2026-11-20T10:15:02' },
    { stamp: '2026-11-20T10:15:02.12', text: '2026-11-20T10:15:02.12' },
  ])('as it is learned from a page with $stamp', ({ stamp, text }) => {
    const { instant = 0, zoned = false, precision = 0 } = parseStamp(stamp) ?? {};
    const row = aRow(1, { createdAt: instant, updatedAt: instant, zoned, precision });

    const learned = learnStamps(UNKNOWN_STAMPS, [row], AT + SECOND);

    expect(formatBound(AT, learned)).toBe(text);
  });
});

describe('the bounds of a range', () => {
  const form = { zoned: true, precision: 0 };

  it('begin a second before the range and end with it', () => {
    const bounds = boundsOf({ updated: { from: AT, to: AT + 9 * SECOND } }, form);

    expect(bounds).toEqual({
      minUpdatedAt: '2026-11-20T10:15:01Z',
      maxUpdatedAt: '2026-11-20T10:15:11Z',
      minCreatedAt: undefined,
      maxCreatedAt: undefined,
    });
  });

  it('include the bounds of both its intervals', () => {
    const range = { updated: { from: AT, to: undefined }, created: { from: undefined, to: AT } };

    const bounds = boundsOf(range, form);

    expect(bounds).toEqual({
      minUpdatedAt: '2026-11-20T10:15:01Z',
      maxUpdatedAt: undefined,
      minCreatedAt: undefined,
      maxCreatedAt: '2026-11-20T10:15:02Z',
    });
  });

  it('are absent if the range is open on all sides', () => {
    const bounds = boundsOf({}, form);

    expect(Object.values(bounds).every((bound) => bound === undefined)).toBe(true);
  });
});

describe('an interval in the digits of the stamps', () => {
  const AT_SECOND = AT - 123_456;

  it.each([
    { from: AT, to: AT + SECOND, sent: { from: AT_SECOND, to: AT_SECOND + SECOND } },
    { from: undefined, to: AT, sent: { from: undefined, to: AT_SECOND } },
    { from: AT, to: undefined, sent: { from: AT_SECOND, to: undefined } },
  ])('has the whole seconds of its ends, if it has any: $from to $to', ({ from, to, sent }) => {
    expect(inDigits({ from, to }, { precision: 0 })).toEqual(sent);
  });
});
