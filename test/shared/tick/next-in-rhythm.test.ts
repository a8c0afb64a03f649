import { expect, it } from 'vitest';
import { nextInRhythm } from '../../../shared/tick/next-in-rhythm.ts';

it.each([
  ['was done when it was due', 100, 100, 105],
  ['was done a little late', 100, 102, 105],
  ['was done a whole interval late', 100, 105, 110],
  ['was done long after', 100, 137, 142],
  ['was done early', 100, 97, 102],
])('work that %s is due again at the right time', (_, dueAt, now, next) => {
  expect(nextInRhythm(dueAt, now, 5)).toBe(next);
});
