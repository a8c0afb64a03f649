// G6: within any 60 seconds, no token is used for more requests than the budget.
import type { Evidence, Violation } from './evidence.ts';

const MINUTE = 60_000_000;

export function checkBudget({ sent, requestsPerMinute }: Evidence): Violation[] {
  const byToken = new Map<string, number[]>();
  for (const { at, token } of sent) {
    const times = byToken.get(token) ?? [];
    byToken.set(token, times);
    times.push(at);
  }
  return [...byToken.values()].flatMap((times) => {
    const most = mostInAMinute(times);
    if (most <= requestsPerMinute) return [];
    return [{ guarantee: 'G6' as const, message: `${most} requests in 60 s, ${requestsPerMinute} allowed` }];
  });
}

function mostInAMinute(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let from = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[from] ?? at) >= MINUTE) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}
