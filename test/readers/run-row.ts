// One row of the table: a service with one behaviour, and readers side by side, so that the load of the machine affects
// all of them. Changes begin when every reader has read all groups.
import { setTimeout as sleep } from 'node:timers/promises';
import { type OutsideService, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import type { Figures } from './judge.ts';
import { evidenceOf } from './known-states.ts';
import { delaysOf, mostWithin, quantile, wrongAt } from './measure.ts';
import { type Usage, usageOf } from './process-usage.ts';
import type { Reader } from './reader.ts';
import { behaviourOf, type Setting } from './settings.ts';
import { startFeed, startOrdinary, TOKENS } from './start-readers.ts';
import { ORDINARY_KINDS } from './usual-poller.ts';

export interface RowOptions {
  readonly setting: Setting;
  readonly groups: number;
  /** How long the service changes. */
  readonly busyMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export interface Row {
  readonly readers: readonly ReaderRow[];
  readonly service: ServiceRow;
  /** How long the service, the readers and the feed waited for a processor, added up and divided by the time. */
  readonly processorWait: number;
}

export interface ReaderRow extends Figures {
  readonly name: string;
  readonly changes: number;
  readonly requestsPerMinute: number;
  readonly refused: number;
  /** Per minute, and at the end; undefined for a reader in the bench's own process. */
  readonly usage: Usage | undefined;
}

/** The service's own time for a request. */
export interface ServiceRow {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const clock = { now: Date.now, sleep: (ms: number) => sleep(ms) };
const EVERY_MS = 5_000;
/** How long the readers have after the last change. */
const QUIET_MS = 40_000;
const FIRST_READING_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
/** Requests that the service allows each reader in a minute. */
const PER_MINUTE = 300;

export async function runRow({ setting, groups, busyMs, seed, signal, say }: RowOptions): Promise<Row> {
  const service = await startOutsideService(
    {
      ...{ groups, tokens: TOKENS, mostRequests: PER_MINUTE },
      ...behaviourOf(setting, createRandom(seed + 1)),
    },
    createRandom(seed),
  );
  const mostMinutes = Math.ceil((FIRST_READING_MS + busyMs + QUIET_MS) / MINUTE_MS) + 5;
  const place = { url: service.url, everyMs: EVERY_MS, perMinute: PER_MINUTE, clock, mostMinutes };
  const readers: Reader[] = [];
  try {
    for (const kind of ORDINARY_KINDS) readers.push(startOrdinary(kind, place));
    readers.push(startFeed(setting.feed, place));
    const until = Date.now() + FIRST_READING_MS;
    while (!readers.every((reader) => reader.hasReadAll())) {
      await pause(250, readers, signal);
      if (Date.now() > until) throw new Error('The first reading took too long.');
    }
    say('every reader has read what was there; changes begin');
    const before = readers.map(({ pid }) => pid && usageOf(pid));
    const waitedBefore = usageOf(process.pid).waitSeconds;
    const beganAt = Date.now();
    service.startChanging();
    await pause(busyMs, readers, signal);
    service.stopChanging();
    say('the last change is made; the quiet begins');
    await pause(QUIET_MS, readers, signal);
    const minutes = (Date.now() - beganAt) / MINUTE_MS;
    const waited = (usageOf(process.pid).waitSeconds - waitedBefore) / (minutes * 60);
    const used = readers.map(({ pid }, index) => usageSince(before[index], pid, minutes));
    await Promise.all(readers.map((reader) => reader.stop()));
    return report(service, { readers, used, waited, beganAt, minutes });
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
    await service.close();
  }
}

async function pause(ms: number, readers: readonly Reader[], signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
  for (const { name, failure } of readers) {
    const text = failure();
    if (text) throw new Error(`${name} failed: ${text}`);
  }
}

function usageSince(
  before: Usage | 0 | undefined,
  pid: number | undefined,
  minutes: number,
): Usage | undefined {
  if (!before || !pid) return undefined;
  const { cpuSeconds, waitSeconds, residentMb } = usageOf(pid);
  return {
    cpuSeconds: (cpuSeconds - before.cpuSeconds) / minutes,
    waitSeconds: (waitSeconds - before.waitSeconds) / minutes,
    residentMb,
  };
}

interface Measured {
  readonly readers: readonly Reader[];
  readonly used: readonly (Usage | undefined)[];
  readonly waited: number;
  readonly beganAt: number;
  readonly minutes: number;
}

function report(
  { store, requests }: OutsideService,
  { readers, used, waited, beganAt, minutes }: Measured,
): Row {
  const counted = requests.filter(({ at }) => at >= beganAt && at < beganAt + minutes * MINUTE_MS);
  const times = counted.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  const histories = store.histories();
  return {
    readers: readers.map(({ name, token, learnt }, index) => {
      const own = counted.filter((request) => request.token === token);
      const evidence = evidenceOf(histories, learnt);
      const delays = delaysOf(evidence);
      const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(delays, share) / 1_000);
      return {
        ...{ name, p50: p50!, p99: p99!, max: max!, never: delays.never },
        wrong: [wrongAt(Number.POSITIVE_INFINITY, evidence)],
        changes: delays.known.length + delays.never,
        requestsPerMinute: own.length / minutes,
        busiestMinute: mostWithin(
          MINUTE_MS,
          own.map(({ at }) => at),
        ),
        refused: own.filter(({ outcome }) => outcome === '429').length,
        usage: used[index],
      };
    }),
    service: {
      requests: times.length,
      p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
      p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    },
    processorWait: waited,
  };
}
