import { setTimeout as sleep } from 'node:timers/promises';
import { startOrdinary, tokenOf } from '../readers/start-readers.ts';
import { type Figure, hasReadAll, type Measured, until, withService, withWatch } from './measurement.ts';

const GROUPS = 20_000;
const EVERY_MS = 5_000;
/** Requests a minute: the default budget, the documented limit of the service, and none that matters. */
const BUDGETS = [240, 300, 6_000];

/** A first reading beside that of the reader of the whole list, with the same number of requests a minute. */
export async function figuresOfFirstReading(measured: Measured): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const perMinute of BUDGETS) {
    const own = await timeOfWatch(perMinute, measured);
    const usual = await timeOfWholeList(perMinute, measured);
    figures.push({
      what: `first reading of ${GROUPS.toLocaleString('en')} returns with ${perMinute} requests a minute: \`watch\`, reader of the whole list`,
      value: [own, usual]
        .map(({ seconds, requests }) => `${seconds.toFixed(1)} s (${requests} requests)`)
        .join(', '),
    });
  }
  return figures;
}

interface Reading {
  readonly seconds: number;
  readonly requests: number;
}

function timeOfWatch(perMinute: number, measured: Measured): Promise<Reading> {
  return withService({ groups: GROUPS }, measured, (service) => {
    const startedAt = Date.now();
    return withWatch(service, { budget: String(perMinute) }, async (watch) => {
      await until(() => hasReadAll(watch), watch, measured.signal);
      return { seconds: (Date.now() - startedAt) / 1_000, requests: service.requests.length };
    });
  });
}

function timeOfWholeList(perMinute: number, measured: Measured): Promise<Reading> {
  const clock = { now: Date.now, sleep: (ms: number) => sleep(ms, undefined, { signal: measured.signal }) };
  return withService({ groups: GROUPS, tokens: [tokenOf('whole-list')] }, measured, async (service) => {
    const startedAt = Date.now();
    const reader = startOrdinary('whole-list', { url: service.url, everyMs: EVERY_MS, perMinute, clock });
    try {
      while (!reader.hasReadAll() && reader.failure() === undefined) await clock.sleep(20);
      return { seconds: (Date.now() - startedAt) / 1_000, requests: service.requests.length };
    } finally {
      await reader.stop();
    }
  });
}
