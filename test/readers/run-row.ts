// One row of the table: a service with one behaviour, and readers side by side, so that the load of the machine affects
// all of them. Changes begin when every reader has read all groups.
import { setTimeout as sleep } from 'node:timers/promises';
import { type OutsideService, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import { type Freshness, judgeFreshness } from './judge-freshness.ts';
import { type Usage, usageOf } from './process-usage.ts';
import type { Reader } from './reader.ts';
import { behaviourOf, type Setting } from './settings.ts';
import { type ReaderKind, tokenOf } from './start-readers.ts';

export interface RowOptions {
  readonly setting: Setting;
  readonly groups: number;
  readonly readers: readonly ReaderKind[];
  readonly everyMs: number;
  readonly busyMs: number;
  readonly quietMs: number;
  readonly firstReadingMs: number;
  readonly perMinute: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export interface Row {
  readonly setting: string;
  readonly groups: number;
  readonly changesPerSecond: number;
  readonly seed: number;
  readonly readers: readonly ReaderRow[];
  readonly service: ServiceRow;
  /** How long the service, the readers and the feed waited for a processor, added up and divided by the time. */
  readonly processorWait: number;
}

export interface ReaderRow extends Freshness {
  readonly name: string;
  readonly about: string;
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

export async function runRow(options: RowOptions): Promise<Row> {
  const { setting, groups, readers: kinds, perMinute, seed, everyMs, signal, say } = options;
  const random = createRandom(seed);
  const service = await startOutsideService(
    {
      groups,
      tokens: kinds.map(({ name }) => tokenOf(name)),
      mostRequests: perMinute,
      ...behaviourOf(setting, createRandom(seed + 1)),
    },
    random,
  );
  const totalMs = options.firstReadingMs + options.busyMs + options.quietMs;
  const place = { url: service.url, everyMs, perMinute, clock, mostMinutes: Math.ceil(totalMs / 60_000) + 5 };
  const readers: Reader[] = [];
  try {
    for (const kind of kinds) readers.push(kind.start(place));
    await untilAllRead(readers, options);
    say('every reader has read what was there; changes begin');
    const before = readers.map(({ pid }) => pid && usageOf(pid));
    const waitedBefore = usageOf(process.pid).waitSeconds;
    const beganAt = Date.now();
    service.startChanging();
    await pause(options.busyMs, readers, signal);
    service.stopChanging();
    say('the last change is made; the quiet begins');
    await pause(options.quietMs, readers, signal);
    const minutes = (Date.now() - beganAt) / 60_000;
    const waited = (usageOf(process.pid).waitSeconds - waitedBefore) / (minutes * 60);
    const used = readers.map(({ pid }, index) => usageSince(before[index], pid, minutes));
    await Promise.all(readers.map((reader) => reader.stop()));
    return report(options, service, { readers, used, waited, beganAt, minutes });
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
    await service.close();
  }
}

async function untilAllRead(readers: readonly Reader[], { firstReadingMs, signal, say }: RowOptions) {
  const until = Date.now() + firstReadingMs;
  while (!readers.every((reader) => reader.hasReadAll())) {
    await pause(250, readers, signal);
    if (Date.now() < until) continue;
    const late = readers.filter((reader) => !reader.hasReadAll()).map(({ name }) => name);
    say(`${late.join(', ')} did not finish the first reading in time; changes begin without it`);
    return;
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
  { setting, groups, readers: kinds, seed }: RowOptions,
  { store, requests }: OutsideService,
  { readers, used, waited, beganAt, minutes }: Measured,
): Row {
  const histories = store.histories();
  const counted = requests.filter(({ at }) => at >= beganAt && at < beganAt + minutes * 60_000);
  const times = counted.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  return {
    setting: setting.name,
    groups,
    changesPerSecond: setting.changesPerSecond,
    seed,
    readers: readers.map(({ name, token, learnt, knowsInitialState }, index) => {
      const own = counted.filter((request) => request.token === token);
      return {
        name,
        about: kinds[index]?.about ?? name,
        ...judgeFreshness({ histories, learnt, knowsInitialState }),
        requestsPerMinute: own.length / minutes,
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
