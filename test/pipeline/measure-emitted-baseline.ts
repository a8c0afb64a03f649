import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchProcess } from '../acceptance/watch-process.ts';
import { usageOf } from '../readers/process-usage.ts';
import { type Figure, hasReadAll, type Measured, until, withService, withWatch } from './measurement.ts';

const GROUPS = 2_000;
/** After so long without an event, all are printed. */
const QUIET_MS = 3_000;

/** How fast `watch --baseline emit` publishes what exists at the start, with a data directory. */
export async function figuresOfEmittedBaseline(measured: Measured): Promise<readonly Figure[]> {
  const data = mkdtempSync(join(tmpdir(), 'returns-feed-bench-'));
  try {
    return await withService({ groups: GROUPS }, measured, (service) =>
      withWatch(service, { baseline: 'emit', budget: '6000', data }, (watch) => figuresOf(watch, measured)),
    );
  } finally {
    rmSync(data, { recursive: true });
  }
}

async function figuresOf(watch: WatchProcess, { signal }: Measured): Promise<readonly Figure[]> {
  const { pid, printed } = watch;
  if (pid === undefined) throw new Error('watch did not start.');
  await until(() => printed.length > 0, watch, signal);
  const before = usageOf(pid).cpuSeconds;
  await until(() => hasReadAll(watch), watch, signal);
  const savedAt = Date.now();
  for (let count = -1; count < printed.length; ) {
    count = printed.length;
    await sleep(QUIET_MS, undefined, { signal });
  }
  const [first = Number.NaN, last = Number.NaN] = [printed[0], printed.at(-1)].map(
    (event) => event?.arrivedAt,
  );
  const cpuMs = (1_000 * (usageOf(pid).cpuSeconds - before)) / printed.length;
  const perSecond = (count: number, ms: number) => ((1_000 * count) / ms).toFixed(0);
  return [
    {
      what: '`--baseline emit`: events printed',
      value: `${perSecond(printed.length, last - first)} a second`,
    },
    {
      what: 'returns saved meanwhile, with their events',
      value: `${perSecond(GROUPS, savedAt - first)} a second`,
    },
    { what: 'processor time of an event, all processes of `watch`', value: `${cpuMs.toFixed(1)} ms` },
  ];
}
