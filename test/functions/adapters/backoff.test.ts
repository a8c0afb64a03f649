import { expect, test } from 'vitest';
import { backOff, MAX_FRUITLESS_TRIES } from '../../../functions/adapters/backoff.ts';
import { hastyClock } from '../../contract/stores.ts';

async function pauses(random: () => number): Promise<number[]> {
  const slept: number[] = [];
  const clock = {
    ...hastyClock,
    sleep: async (durationMs: number) => {
      slept.push(durationMs);
    },
  };
  for (let tries = 1; tries < MAX_FRUITLESS_TRIES; tries++) await backOff({ clock, random }, tries);
  return slept;
}

test('pauses grow up to a bound', async () => {
  expect(await pauses(() => 1)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000]);
});

test('pauses are random below that bound, so that waiting callers do not retry together', async () => {
  expect(await pauses(() => 0)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
