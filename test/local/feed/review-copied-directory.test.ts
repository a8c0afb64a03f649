// Review: G4: "No two events ever share an id … by a state that names the table it was created in. A feed that finds a
// restored copy of that state stops instead of using numbers twice." A data directory's tables keep their ids when the
// directory is copied, as docs/upgrading.md advises: "If you may want to go back, copy the directory before the first start."
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startLocalFeed } from '../../../local/feed/local-feed.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

const TOKEN = 'a-token';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function runOnce(baseUrl: string, dataDir: string) {
  const events: FeedEvent[] = [];
  const feed = await startLocalFeed({
    settings: sourceSettings.parse({ name: 'acme', baseUrl, requestsPerMinute: 280 }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void events.push(event),
  });
  const reports = [await feed.tick(), await feed.tick()];
  await feed.handOver();
  await feed.close();
  return { events, outcomes: reports.map(({ outcome, error }) => `${outcome} ${error ?? ''}`) };
}

it('review: a feed on a restored copy of a data directory uses no id twice', async () => {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false });
  ends.push(service.close);
  const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const copy = `${dataDir}-copy`;
  ends.push(() => rm(copy, { recursive: true }));
  const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  const setStatus = (status: string) =>
    service.control.mutate(Number(group?.id), (draft) => {
      const [first] = draft.shipments;
      if (first) first.status = status as never;
    });
  await runOnce(service.url, dataDir);
  await cp(dataDir, copy, { recursive: true });
  const [one, other] = ['FAILED', 'DELIVERED', 'IN_TRANSIT'].filter((it) => it !== group?.shipments[0]?.status);
  setStatus(one ?? '');
  const before = await runOnce(service.url, dataDir);
  // The directory is lost, or its new release is given up: back to the copy. Meanwhile the parcel has moved on.
  await rm(dataDir, { recursive: true });
  await cp(copy, dataDir, { recursive: true });
  setStatus(other ?? '');
  const after = await runOnce(service.url, dataDir);

  const statusOf = ({ id, data }: FeedEvent) => `${id} ${(data.object as { status?: string }).status}`;
  const isParcel = ({ type }: FeedEvent) => type === 'shipment.status_changed';
  console.log(before.events.filter(isParcel).map(statusOf), after.events.filter(isParcel).map(statusOf), after.outcomes, after.events.map(({ id, type }) => `${id} ${type}`));
  const used = new Map(before.events.map((event) => [event.id, JSON.stringify(event)]));
  const twice = after.events.filter((event) => used.has(event.id) && used.get(event.id) !== JSON.stringify(event));
  expect(twice.map(({ id }) => id)).toEqual([]);
});
