// An activity of a busy source, with numbers of ordinary size that hardly repeat.
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Activity } from '../../shared/reporting/activity.ts';

const MINUTE_NOW = 29_393_895 * MINUTE;

/** @param factor makes all counts, ids and delays so many times as large */
export function anActivity(minutes: number, groups: number, factor = 1): Activity {
  const noise = (at: number, below: number) => ((at * 7_919 + 13) % below) * factor;
  return {
    minutes: Array.from({ length: minutes }, (_, at) => ({
      from: MINUTE_NOW - at * MINUTE,
      requests: noise(at, 300),
      events: noise(at + 1, 2_000),
      delayed: noise(at + 2, 2_000),
      delaySumMs: noise(at + 3, 99_999_989),
      longestDelayMs: noise(at + 4, 299_993),
    })),
    recent: Array.from({ length: groups }, (_, at) => ({
      group: at === 1 ? ('feed' as const) : 184_467 * factor + noise(at, 99_991),
      sequence: 1 + noise(at, 97),
      savedAt: MINUTE_NOW - at * 1_234 * MILLISECOND,
    })),
  };
}
