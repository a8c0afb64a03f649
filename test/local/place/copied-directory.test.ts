// Going back to a copy of a data directory: `sources restore` begins the new generation (docs/operating.md).
import { copyFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { restoreSource } from '../../../local/operating/restore-source.ts';
import { withFeed } from '../../../local/place/with-feed.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { startFeedOfOne } from '../feed/feed-of-one.ts';
import { pollingFeed, SOON_MS } from '../feed/polling-feed.ts';

const TOKEN = 'a-token';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const STATUSES = ['FAILED', 'DELIVERED', 'IN_TRANSIT'] as const;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open() {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false });
  ends.push(service.close);
  const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
  const copy = `${dataDir}-copy`;
  for (const path of [dataDir, copy]) ends.push(() => rm(path, { recursive: true, force: true }));
  const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  const [one, other] = STATUSES.filter((status) => status !== group?.shipments[0]?.status);
  const setStatus = (status: (typeof STATUSES)[number] | undefined) =>
    service.control.mutate(Number(group?.id), ({ shipments: [first] }) => {
      if (first !== undefined && status !== undefined) first.status = status;
    });
  return { dataDir, copy, one, other, setStatus, run: () => runOnce(service.url, dataDir) };
}

/** @returns the events of two polls */
async function runOnce(baseUrl: string, dataDir: string): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const opened = await startFeedOfOne({
    settings: sourceSettings.parse({ name: 'acme', baseUrl, requestsPerMinute: 280, intervalMs: SOON_MS }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void events.push(event),
  });
  const feed = pollingFeed(opened);
  for (let ticks = 0; ticks < 2; ticks += 1) await feed.tick();
  await feed.handOver();
  await feed.close();
  return events;
}

/** Does what `sources restore acme --data DIR` does. */
function restore(dataDir: string, force = false) {
  return withFeed({ data: dataDir }, async ({ states, stateOf }) =>
    restoreSource(states, await stateOf('acme'), { force, now: Date.now() * 1_000 }),
  );
}

test('after `sources restore` a feed that went back to a copy uses no id twice', async () => {
  const { dataDir, copy, one, other, setStatus, run } = await open();
  await run();
  await cp(dataDir, copy, { recursive: true });
  setStatus(one);
  const before = await run();
  await rm(dataDir, { recursive: true });
  await cp(copy, dataDir, { recursive: true });
  setStatus(other);

  const { generation } = await restore(dataDir);
  const after = await run();

  const used = new Set(before.map(({ id }) => id));
  expect(used.size).toBeGreaterThan(0);
  expect(after.filter(({ id }) => used.has(id))).toEqual([]);
  expect(new Set(after.map(({ data }) => data.generation))).toEqual(new Set([generation]));
  const parcels = after.map(({ data }) => data.object as { status?: string });
  expect(parcels).toContainEqual(expect.objectContaining({ type: 'shipment', status: other }));
}, 60_000);

test('a copy that was written over the directory, `feed.seen` with it, is not recognized: `--force` restores it', async () => {
  const { dataDir, copy, one, other, setStatus, run } = await open();
  await run();
  await cp(dataDir, copy, { recursive: true });
  setStatus(one);
  const before = await run();
  for (const file of await readdir(copy)) await copyFile(join(copy, file), join(dataDir, file));
  setStatus(other);

  await expect(restore(dataDir)).rejects.toThrow('nothing was restored');
  await restore(dataDir, true);
  const after = await run();

  const used = new Set(before.map(({ id }) => id));
  expect(used.size).toBeGreaterThan(0);
  expect(after.length).toBeGreaterThan(0);
  expect(after.filter(({ id }) => used.has(id))).toEqual([]);
}, 60_000);
