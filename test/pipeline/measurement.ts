// A service and a `watch` of it, for one measurement.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, type OutsideService, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import { startWatch, type WatchProcess } from '../acceptance/watch-process.ts';

export interface Figure {
  readonly what: string;
  readonly value: string;
}

export interface Measured {
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** The service's own limit is out of the way: the budget of the feed sets its pace. */
const MOST_REQUESTS = 100_000;

/** Starts the service, and ends it after the work. */
export async function withService<Result>(
  behaviour: Behaviour,
  { seed }: Measured,
  work: (service: OutsideService) => Promise<Result>,
): Promise<Result> {
  const service = await startOutsideService(
    { mostRequests: MOST_REQUESTS, ...behaviour },
    createRandom(seed),
  );
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Starts `watch`, as on the command line without `--`, and ends it after the work. */
export async function withWatch<Result>(
  service: OutsideService,
  options: Readonly<Record<string, string>>,
  work: (watch: WatchProcess) => Promise<Result>,
): Promise<Result> {
  const watch = startWatch({ 'base-url': service.url, source: 'acceptance', ...options });
  try {
    return await work(watch);
  } finally {
    if (!watch.hasEnded()) await watch.end('SIGINT');
  }
}

/** @throws if `watch` ends before the condition holds, or on the signal */
export async function until(
  condition: () => boolean,
  watch: WatchProcess,
  signal: AbortSignal,
): Promise<void> {
  while (!condition()) {
    await sleep(20, undefined, { signal });
    if (watch.hasEnded()) throw new Error(`watch ended: ${watch.messages.at(-1)}`);
  }
}

export function hasReadAll({ messages }: WatchProcess): boolean {
  return messages.some((message) => message.includes('baseline complete'));
}

/** The value below which a share of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
