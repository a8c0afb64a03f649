// One run of a scenario: the service, the `watch` processes that read it, and what they have shown so far.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, Problem } from './evidence.ts';
import type { PrintedEvent } from './history.ts';
import { judge, type Verdict } from './outside-judge.ts';
import type { OutsideReceiver } from './outside-receiver.ts';
import type { OutsideService } from './outside-service.ts';
import type { Scenario } from './scenario.ts';
import { startWatch, type WatchProcess } from './watch-process.ts';

/** The result of a scenario, with figures for its printed line. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly problems: readonly Problem[];
  readonly verdict: Verdict;
  readonly requests: number;
  readonly tookMs: number;
  /** Time from the last change until everything was published. */
  readonly completeAfterMs: number | undefined;
  /** Time from the start until `status` reported that not everything is read. */
  readonly saidAfterMs: number | undefined;
}

const BUDGET = 240;
const SETTLE_MS = 3_000;
const LOOKBACK_MS = 10_000;
/** Two cycles and a look-up. Wrong events would appear within this time. */
export const AFTERWARDS_MS = 12_000;
export const FILL_IN_MS = 20_000;

export interface Run {
  readonly scenario: Scenario;
  readonly service: OutsideService;
  readonly receiver: OutsideReceiver | undefined;
  readonly data: string;
  readonly startedAt: number;
  readonly runs: WatchProcess[];
}

export function watch({ scenario, service, receiver, data, runs }: Run, url = service.url): WatchProcess {
  const options = {
    'base-url': url,
    source: 'acceptance',
    every: '1s',
    reconcile: '5s',
    settle: '3s',
    lookback: '10s',
    budget: String(BUDGET),
    timeout: '10s',
    for: '8m',
    baseline: 'emit',
    data,
    ...(receiver && { 'forward-to': receiver.url }),
    ...scenario.watch,
  };
  // The user claims that the same store has moved.
  const started = startWatch(options, url === service.url ? [] : ['--moved'], {
    forwardSecret: receiver?.secret,
  });
  runs.push(started);
  return started;
}

export function isAllPublished(evidence: Evidence): boolean {
  return judge(evidence).problems.every(({ rule }) => rule !== 'complete');
}

/** Calls `holds` only after new output, or after 10 s without any: judging takes time from the service's process. */
export function whenPrinted({ runs }: Run, holds: () => boolean): () => boolean {
  let judged = -1;
  let judgedAt = 0;
  return () => {
    const count = runs.reduce((sum, { printed }) => sum + printed.length, 0);
    if (count === judged && Date.now() - judgedAt < 10_000) return false;
    judged = count;
    judgedAt = Date.now();
    return holds();
  };
}

/**
 * Returns a function that returns whether time is left. On a busy machine the time ends only after the feed also sent the
 * requests that it sends in that time at least, or after some minutes.
 */
export function patience({ service }: Run, quietMs = 45_000): () => boolean {
  const startedAt = Date.now();
  const before = service.requests.length;
  return () => {
    const elapsedMs = Date.now() - startedAt;
    const requests = service.requests.length - before;
    return (
      elapsedMs < quietMs || (requests < quietMs / 500 && elapsedMs < Math.max(quietMs, MOST_PATIENCE_MS))
    );
  };
}

const MOST_PATIENCE_MS = 300_000;

export function gather({ scenario, service, runs }: Run, silentUntil: number | undefined): Evidence {
  const histories = service.store.histories();
  const shown = (field: string) =>
    Math.min(
      ...histories.flatMap(({ states }) =>
        states.flatMap(({ fields, shownFrom }) => (fields?.[field] == null ? [] : [shownFrom])),
      ),
    );
  return {
    histories,
    stampsOf: service.store.stampsOf,
    printed: runs.flatMap<PrintedEvent>(({ printed }) => printed),
    requestedAt: service.requests.map(({ at }) => at),
    budget: BUDGET,
    settleMs: SETTLE_MS,
    lookbackMs: LOOKBACK_MS,
    silentUntil,
    failingId: service.failingId,
    unreadableMoney: scenario.unreadableMoney ?? false,
    firstShown: (scenario.firstShown ?? []).map((field) => {
      const from = shown(field);
      return { field, from, until: from + FILL_IN_MS };
    }),
  };
}

export function outcomeOf(
  { scenario, service, startedAt }: Run,
  problems: readonly Problem[],
  verdict: Verdict,
  completeAfterMs: number | undefined,
  saidAfterMs: number | undefined,
): Outcome {
  const requests = service.requests.length;
  return {
    scenario,
    problems,
    verdict,
    requests,
    tookMs: Date.now() - startedAt,
    completeAfterMs,
    saidAfterMs,
  };
}

export async function waitUntil(holds: () => boolean, mostMs: number): Promise<void> {
  const until = Date.now() + mostMs;
  while (!holds() && Date.now() < until) await sleep(500);
}
