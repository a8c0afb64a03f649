import { expect, test } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { MILLISECOND } from '../../../shared/instant.ts';

test('it returns whole microseconds', () => {
  const clock = createSystemClock();

  expect(Math.abs(clock.now() - Date.now() * MILLISECOND)).toBeLessThan(1000 * MILLISECOND);
  expect(Number.isInteger(clock.now())).toBe(true);
  expect(Number.isInteger(clock.elapsed())).toBe(true);
});

test('elapsed time grows by at least the time slept', async () => {
  const clock = createSystemClock();
  const before = clock.elapsed();

  await clock.sleep(2);

  // Timers may fire a fraction early.
  expect(clock.elapsed() - before).toBeGreaterThanOrEqual(1 * MILLISECOND);
});

test('a sleep ends at once when it is aborted, or was already', async () => {
  const clock = createSystemClock();
  const abort = new AbortController();

  const sleeping = clock.sleep(3_600_000, abort.signal);
  abort.abort();
  await sleeping;
  await clock.sleep(3_600_000, abort.signal);

  expect(abort.signal.aborted).toBe(true);
});
