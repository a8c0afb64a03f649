// An activity of a busy source, with distinct numbers of realistic size.
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Activity } from '../../shared/reporting/activity.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';

const MINUTE_NOW = 29_393_895 * MINUTE;

/** @param factor multiplies all counts, ids and delays */
export function anActivity(minutes: number, groups: number, factor = 1): Activity {
  const random = createSeededRandom(7);
  const noise = (most: number) => random.upTo(most * factor);
  return {
    minutes: Array.from({ length: minutes }, (_, at) => ({
      from: MINUTE_NOW - at * MINUTE,
      requests: noise(300),
      events: noise(2_000),
      delayed: noise(2_000),
      delaySumMs: noise(100_000_000),
      longestDelayMs: noise(300_000),
    })),
    recent: Array.from({ length: groups }, (_, at) => ({
      group: at === 1 ? ('feed' as const) : noise(10_000_000),
      sequence: 1 + noise(100),
      savedAt: MINUTE_NOW - at * 1_234 * MILLISECOND,
    })),
  };
}
