// G6: within any 60 seconds, no token is used for more requests than the budget, and a process that learns of a pause keeps
// it.
import type { AskedPause, Evidence, SentRequest, Violation } from './evidence.ts';

const MINUTE = 60_000_000;
/** Leases do not keep processes apart whose clocks jump, or are further apart than a lease lasts (docs/limits.md). */
const CLOCKS_APART = 10 * MINUTE;
/** A machine's clock may be this much too fast. */
const DRIFT = 0.001;

export function checkBudget(evidence: Evidence): Violation[] {
  const { sent, requestsPerMinute, timing, clocksJump } = evidence;
  const isKept =
    clocksJump || timing.clocksOff > CLOCKS_APART ? () => true : (most: number) => most <= requestsPerMinute;
  const tooMany = [...groupBy(sent, ({ token }) => token).values()].flatMap((requests) => {
    const most = mostInAMinute(requests.map(({ at }) => at));
    return isKept(most) ? [] : [`${most} requests in 60 s, ${requestsPerMinute} allowed`];
  });
  return [...tooMany, ...sentInPauses(evidence)].map((message) => ({ guarantee: 'G6', message }));
}

function sentInPauses({ sent, askedPauses, keepsPauses }: Evidence): string[] {
  if (!keepsPauses) return [];
  const requestsOf = groupBy(sent, keyOf);
  return askedPauses.flatMap((pause) => {
    const until = pause.until - DRIFT * (pause.until - pause.at);
    const early = requestsOf.get(keyOf(pause))?.find(({ at }) => at > pause.at && at < until);
    if (early === undefined) return [];
    return [
      `a request ${pause.until - early.at} microseconds before the end of a pause that ${pause.by} knew of`,
    ];
  });
}

function keyOf({ by, token }: Pick<AskedPause, 'by' | 'token'>): string {
  return `${by} ${token}`;
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

function groupBy(requests: readonly SentRequest[], keyOf: (sent: SentRequest) => string) {
  const groups = new Map<string, SentRequest[]>();
  for (const request of requests) {
    const key = keyOf(request);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  return groups;
}
