import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findHolder } from '../../../local/engines/data-directory-lock.ts';
import { type LocalFeed, startLocalFeed } from '../../../local/feed/local-feed.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { moveLastSlot } from './move-last-slot.ts';

const TOKEN = 'a-token';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Cleanups after a test, latest first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startService() {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false });
  ends.push(service.close);
  return service;
}

async function startFeed(baseUrl: string, events: FeedEvent[], dataDir?: string): Promise<LocalFeed> {
  const feed = await startLocalFeed({
    settings: sourceSettings.parse({ name: 'acme', baseUrl, requestsPerMinute: 280 }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void events.push(event),
  });
  return feed;
}

describe('the feed on one machine', () => {
  it('delivers a change at the service as an event from the FIFO queue', async () => {
    const service = await startService();
    const events: FeedEvent[] = [];
    const feed = await startFeed(service.url, events);
    ends.push(feed.close);
    await feed.tick();
    const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
    const shipment = group?.shipments[0];

    service.control.mutate(Number(group?.id), (draft) => {
      const [first] = draft.shipments;
      if (first) first.status = 'FAILED';
    });
    await feed.tick();
    await feed.handOver();

    const changes = events.filter(({ type }) => type === 'shipment.status_changed');
    expect(changes).toHaveLength(1);
    expect(changes[0]?.data).toMatchObject({
      object: { id: shipment?.id, status: 'FAILED' },
      previous_attributes: { status: shipment?.status },
      observed: { through: 'poll' },
    });
  });

  it('delivers saved but undelivered events after a restart', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const before: FeedEvent[] = [];
    const after: FeedEvent[] = [];
    const first = await startFeed(service.url, before, dataDir);
    await first.tick();
    service.control.create();
    await first.tick();
    await first.close();

    const second = await startFeed(service.url, after, dataDir);
    ends.push(second.close);
    await second.handOver();

    const ids = [...before, ...after].map(({ id }) => id);
    expect(new Set(ids).size).toBeGreaterThan(0);
    expect(after.every(({ id }) => !before.some((event) => event.id === id))).toBe(true);
    expect([...before, ...after].map(({ type }) => type)).toContain('return_group.created');
  });

  it.each([
    ['half an hour', 1_800_000],
    ['a day', 86_400_000],
    ['a year', 365 * 86_400_000],
  ])('continues at once if the clock was %s ahead in its last run', async (_, aheadMs) => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const first = await startFeed(service.url, [], dataDir);
    await first.tick();
    await moveLastSlot(dataDir, aheadMs);
    await first.close();
    const events: FeedEvent[] = [];
    service.control.create();

    const second = await startFeed(service.url, events, dataDir);
    ends.push(second.close);
    const reports = [await second.tick(), await second.tick()];
    await second.handOver();

    expect(reports.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    expect(events.map(({ type }) => type)).toContain('return_group.created');
  });

  it('fails if its engine can’t keep its tables, stops everything and releases the directory', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    await mkdir(join(dataDir, 'tables.db'));

    const starting = startFeed('https://returns.example/api', [], dataDir);

    await expect(starting).rejects.toThrow('The DynamoDB engine did not start');
    expect(await findHolder(dataDir)).toBeUndefined();
  });

  it('uses each data directory only once at a time', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const first = await startFeed(service.url, [], dataDir);

    await first.close();
    const second = await startFeed(service.url, [], dataDir);
    ends.push(second.close);

    expect(await second.tick()).toMatchObject({ outcome: 'done', error: undefined });
  });
});
