// A running `watch` follows its file: by the file's times, and on SIGHUP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followConfig } from '../../../local/feed/follow-config.ts';
import type { WatchConfig } from '../../../local/feed/watch-config.ts';

const FIRST: WatchConfig = {
  ...{ data: 'state', console: undefined, listen: undefined },
  plan: { sources: [], receivers: [] },
};

let folder: string;
let stopping: AbortController;
let logged: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-config-'));
  await writeFile(join(folder, 'feed.json'), '1');
  [stopping, logged] = [new AbortController(), []];
});
afterEach(async () => {
  stopping.abort();
  await rm(folder, { recursive: true });
});

function follow(read: () => WatchConfig) {
  const note = (message: string) => void logged.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  return followConfig(join(folder, 'feed.json'), FIRST, read, { log, signal: stopping.signal });
}

it('gives the plan of a file that changed', async () => {
  let plan: unknown;
  void follow(() => FIRST)
    .next()
    .then(({ value }) => {
      plan = value;
    });

  // Its first look may come after the first change.
  const change = async () => {
    await writeFile(join(folder, 'feed.json'), `${performance.now()}`);
    return plan;
  };

  await expect.poll(change, { interval: 300, timeout: 20_000 }).toBe(FIRST.plan);
});

it('reads the file on SIGHUP, and gives no plan of one with problems', async () => {
  let reads = 0;
  const next = follow(() => {
    reads += 1;
    if (reads > 1) return { ...FIRST, data: 'another' };
    setImmediate(() => process.emit('SIGHUP'));
    throw new Error('a problem');
  }).next();

  process.emit('SIGHUP');

  expect((await next).value).toBe(FIRST.plan);
  expect(logged).toEqual([
    'The changed configuration is not used; the earlier one goes on.',
    'Another data, console or listen takes effect at the next start.',
  ]);
});

it('ends with its signal, and leaves SIGHUP to its default', async () => {
  const before = process.listenerCount('SIGHUP');
  const next = follow(() => FIRST).next();
  const during = process.listenerCount('SIGHUP');

  stopping.abort();

  expect(await next).toEqual({ done: true, value: undefined });
  expect([during, process.listenerCount('SIGHUP')]).toEqual([before + 1, before]);
});
