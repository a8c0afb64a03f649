import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { formatDuration, parseCount, parseDuration } from '../../../local/cli/durations.ts';

test.each([
  ['500ms', 500],
  ['1s', 1_000],
  ['1.5s', 1_500],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['24d', 2_073_600_000],
])('reads the duration %s', (text, milliseconds) => {
  const duration = parseDuration(text);

  expect(duration).toBe(milliseconds);
});

test.each(['', '0', '0s', '25d', '600.1h', '0.1ms', '10', 's', '-1s', '1 s', '1e3s', '5M', '1s2'])(
  'refuses "%s" as a duration',
  (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
  },
);

test.each(['0', '-1', '1.5', '1e3', '', 'ten', '9007199254740992'])('rejects "%s" as a count', (text) => {
  expect(() => parseCount(text)).toThrow(InvalidArgumentError);
});

test.each([
  [-5, 1, '0.0 s'],
  [840, 1, '0.8 s'],
  [99_949, 1, '99.9 s'],
  [99_951, 1, '2 min'],
  [99_949, 0, '100 s'],
  [40_400, 0, '40 s'],
  [5_999_000, 0, '100 min'],
  [6_000_000, 0, '2 h'],
  [359_999_000, 0, '100 h'],
  [360_000_000, 0, '4 d'],
])('formats %d milliseconds with %d decimals as "%s"', (milliseconds, decimals, expected) => {
  const text = formatDuration(milliseconds, decimals);

  expect(text).toBe(expected);
});
