import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../../local/cli/write-whole.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { watchHolder } from '../../../local/store/watch-lock.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { type FeedOfOne, startFeedOfOne } from './feed-of-one.ts';
import { moveLastSlot } from './move-last-slot.ts';
import { pollingFeed, SOON_MS } from './polling-feed.ts';

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

function startFeed(baseUrl: string, events: FeedEvent[], dataDir?: string): Promise<FeedOfOne> {
  return startFeedThat((event) => events.push(event), baseUrl, dataDir);
}

async function startFeedThat(handle: (event: FeedEvent) => unknown, baseUrl: string, dataDir?: string) {
  const feed = await startFeedOfOne({
    settings: sourceSettings.parse({ name: 'acme', baseUrl, requestsPerMinute: 280, intervalMs: SOON_MS }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void handle(event),
  });
  return pollingFeed(feed);
}

describe('the feed on one machine', () => {
  it('hands a change at the service over as an event', async () => {
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

  it('warns of posts that leave the machine unencrypted', async () => {
    const service = await startService();
    const warnings: string[] = [];
    const posts = ['http://127.0.0.1:9/hook', 'https://shop.test/hook', 'http://shop.test:3000/hook'];
    const feed = await startFeedOfOne({
      settings: sourceSettings.parse({ name: 'acme', baseUrl: service.url }),
      token: TOKEN,
      dataDir: undefined,
      log: { ...QUIET, warn: (message) => void warnings.push(message) },
      onProgress() {},
      onEvent: async () => {},
      receivers: posts.map((url) => ({
        url: new URL(url),
        secret: undefined,
        filter: {},
        contentType: undefined,
      })),
    });
    await feed.close();

    expect(warnings).toEqual([
      expect.stringMatching(/^Posts to http:\/\/shop.test:3000\/hook are not encrypted/),
    ]);
  });

  it('takes another address as long as nothing was read from the first one, and none after that', async () => {
    const [service, other] = [await startService(), await startService()];
    const directory = await mkdtemp(join(tmpdir(), 'address-'));
    ends.push(() => rm(directory, { recursive: true }));
    const tickOf = async (baseUrl: string) => {
      const feed = await startFeed(baseUrl, [], directory);
      return feed.tick().finally(feed.close);
    };

    const wrong = await tickOf(service.url.replace(/\/api$/, ''));
    const corrected = await tickOf(service.url);

    expect(wrong.error?.message).toContain('status 404');
    expect(corrected.polls).toBeGreaterThan(0);
    await expect(tickOf(other.url)).rejects.toThrow(`was read from ${service.url}, not from ${other.url}`);
  });

  it('delivers changes of a return with a huge text, of which it publishes the beginning', async () => {
    const service = await startService();
    const events: FeedEvent[] = [];
    const feed = await startFeed(service.url, events);
    ends.push(feed.close);
    await feed.tick();
    const names = [
      ['CANCELED', 300_000],
      ['REJECTED', 5],
    ] as const;

    for (const [status, length] of names) {
      service.control.mutate(Number(service.control.snapshot()[0]?.id), ({ returns: [first] }) => {
        if (first === undefined) return;
        first.product_name = 'n'.repeat(length);
        first.status = status;
      });
      await feed.tick();
    }
    await feed.handOver();

    const changes = events.filter(({ type }) => type === 'return_line_item.status_changed');
    const objects = changes.map(({ data }) => data.object as { status: string; product_name: string });
    expect(objects.map(({ status, product_name }) => [status, product_name.length])).toEqual([
      ['CANCELED', 1_000],
      ['REJECTED', 5],
    ]);
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

  it('fails if an event can’t be printed, and prints it after the next start', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const failure = new OutputError(new Error('EIO: i/o error, write'));
    const refused: FeedEvent[] = [];
    const handle = (event: FeedEvent) => {
      refused.push(event);
      throw failure;
    };
    const first = await startFeedThat(handle, service.url, dataDir);
    // A tick rejects too if it still runs when an event is refused.
    await first.tick().catch(() => {});
    service.control.create();
    await first.tick().catch(() => {});
    await expect(first.failed).rejects.toBe(failure);
    await first.close();
    const events: FeedEvent[] = [];

    const second = await startFeed(service.url, events, dataDir);
    ends.push(second.close);
    await second.handOver();

    expect(refused.length).toBeGreaterThan(0);
    expect(events).toEqual(expect.arrayContaining(refused));
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

  it('fails if its directory can’t keep the stores, and releases it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    await mkdir(join(dataDir, 'feed.db'));

    const starting = startFeed('https://returns.example/api', [], dataDir);

    await expect(starting).rejects.toThrow(join(dataDir, 'feed.db'));
    expect(await watchHolder(dataDir)).toBeUndefined();
  });

  it('does not wait for the lease of a process that was killed', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const first = await startFeed(service.url, [], dataDir);
    const { state } = await first.tick();
    await first.close();
    const store = await openStore(dataDir);
    const known = await store.states.load('acme');
    if (known === undefined || state === undefined) throw new Error('There is no state.');
    const lease = { ...known.lease, expiresAt: known.lease.expiresAt + Date.now() * 1_000 + 50_000_000 };
    await store.states.save({ ...known, lease, version: known.version + 1 }, known.version);
    await store.close();

    const second = await startFeed(service.url, [], dataDir);
    ends.push(second.close);

    expect(await second.tick()).toMatchObject({ outcome: 'done', error: undefined });
  });

  it('fails if its directory is deleted, and leaves a new one in that place alone', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const feed = await startFeed(service.url, [], dataDir);
    ends.push(feed.close);
    await feed.tick();

    await rm(dataDir, { recursive: true });
    await mkdir(dataDir);

    await expect(feed.tick()).rejects.toThrow('was deleted, moved or replaced');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('uses each data directory only once at a time', async () => {
    const service = await startService();
    const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
    ends.push(() => rm(dataDir, { recursive: true }));
    const first = await startFeed(service.url, [], dataDir);

    await expect(startFeed(service.url, [], dataDir)).rejects.toThrow(`process ${process.pid}`);
    await first.close();
    const second = await startFeed(service.url, [], dataDir);
    ends.push(second.close);

    expect(await second.tick()).toMatchObject({ outcome: 'done', error: undefined });
  });
});
