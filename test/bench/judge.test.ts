import { expect, it } from 'vitest';
import { betterOf, boundsOf, type Figures, shortfalls } from './judge.ts';

const NEVER = Number.POSITIVE_INFINITY;

it('prefers the reader that missed fewer changes, and then the one with the lower p99', () => {
  const [missing, slow, quick] = [figures({ never: 3, p99: 2 }), figures({ p99: 9 }), figures({ p99: 8 })];

  expect(betterOf([missing, slow])).toBe(slow);
  expect(betterOf([slow, quick])).toBe(quick);
});

it('allows a p99 of the given times the better one, and wrong states only where the better has some', () => {
  const bounds = boundsOf(figures({ p99: 4, wrong: [7, 0] }), 1.25);

  expect(shortfalls(figures({ p99: 5, wrong: [9, 0] }), bounds)).toEqual([]);
  expect(shortfalls(figures({ p99: 5.5, wrong: [0, 1] }), bounds)).toEqual([
    'wrong 1, at most 0',
    'p99 5.5, at most 5',
  ]);
});

it('falls short when changes stay unknown, but not where they also do to the better reader', () => {
  const ours = figures({ p99: NEVER });

  expect(shortfalls(ours, boundsOf(figures({ p99: 4 }), 1.25))).toEqual(['p99 never, at most 5']);
  expect(shortfalls(ours, boundsOf(figures({ p99: NEVER }), 1.25))).toEqual([]);
});

it('falls short of any other bound that is set', () => {
  const ours = figures({ p50: 3.2, busiestMinute: 241 });

  expect(shortfalls(ours, {})).toEqual([]);
  expect(shortfalls(ours, { p50: 3, busiestMinute: 240 })).toEqual([
    'p50 3.2, at most 3',
    'requests in a minute 241, at most 240',
  ]);
});

function figures(given: Partial<Figures>): Figures {
  return { wrong: [0, 0], never: 0, p50: 1, p99: 2, max: 3, busiestMinute: 60, ...given };
}
