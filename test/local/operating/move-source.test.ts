import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { moveSource } from '../../../local/operating/move-source.ts';
import {
  createInProcessService,
  type InProcessService,
} from '../../../local/reference-service/in-process-service.ts';
import { type LocalStore, openStore } from '../../../local/store/open-store.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { READ_GROUP } from '../../../shared/contract/event-id.ts';
import { pollSource } from '../../../shared/poll-source.ts';
import type { Destination, GroupKey, Ledger, Log, Marks } from '../../../shared/ports.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import type { HttpTransport } from '../../../shared/returns-service/http-transport.ts';
import { createSourceSession, type SourceServices } from '../../../shared/source/source-session.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { hastyClock, openTables, type Stores, storesOn, type TestTables } from '../../contract/stores.ts';

const BASE_URL = 'https://returns.example/api';
const URL_ID = 'forward-1';
const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

/** A source whose polls save where they are told to. */
function openSource(source: string, groups: number) {
  const service = createInProcessService({ groups, life: false });
  let slot = Date.now();
  return {
    service,
    async poll({ states, snapshots: store, ledger }: Pick<Stores, 'states' | 'snapshots' | 'ledger'>) {
      const settings = sourceSettings.parse({ name: source, baseUrl: BASE_URL, baseline: 'emit' });
      const session = createSourceSession({
        ...{ settings, states, store, ledger, clock: createSystemClock(), log: silentLog, place: undefined },
        random: Math.random,
        client: (token) =>
          createReturnsServiceClient({ baseUrl: BASE_URL, token, transport: transportOf(service) }),
        secret: { read: async () => service.token },
        hashToken: (token) => token,
        owner: `poller-${slot}`,
      } satisfies SourceServices);
      slot += 60_000;
      return pollSource({ slot, durationMs: 20_000 }, session);
    },
    /** Changes some groups. */
    change(every: number): void {
      for (const { id } of service.control.snapshot())
        if (Number(id) % every === 0)
          service.control.mutate(Number(id), (draft) => {
            draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
          });
    },
  };
}

function transportOf(service: InProcessService): HttpTransport {
  return async ({ url, headers }) => {
    const { pathname, searchParams: query } = new URL(url);
    const path = pathname.slice('/api'.length);
    const answer = service.service.answer({ path, query, token: headers['X-Service-Api-Token'] });
    return { ...answer, body: new TextEncoder().encode(answer.body), requestMs: 1 };
  };
}

/** Sends what a destination lacks of some groups. */
async function relay(
  { ledger, marks }: { readonly ledger: Ledger; readonly marks: Marks },
  name: string,
  groups: readonly GroupKey[],
): Promise<FeedEvent[]> {
  const got: FeedEvent[] = [];
  const destination: Destination = {
    name,
    async send(events) {
      got.push(...events);
      return events.map(() => ({ sent: true }));
    },
  };
  const send = createRelay({
    ...{ ledger, marks, destination, clock: hastyClock, log: silentLog },
    random: Math.random,
  });
  await send(groups, 60_000);
  return got;
}

/** All but that of feed.source_read, which every poll may add to. */
async function groupsOf({ ledger }: { readonly ledger: Ledger }, source: string): Promise<GroupKey[]> {
  const keys: GroupKey[] = [];
  for await (const { key } of ledger.groups())
    if (key.source === source && key.group !== READ_GROUP) keys.push(key);
  return keys;
}

function optionsOf(from: LocalStore, rung: GroupKey[] = []) {
  const { client, tables } = opened;
  return {
    from,
    to: {
      ...{ client, tables, clock: hastyClock, destinations: ['queue', 'bus', 'Wms'] },
      ...storesOn(client, tables),
    },
    webhooks: [
      { url: URL_ID, webhook: 'Wms', queue: { ring: async (key: GroupKey) => void rung.push(key) } },
    ],
    onProgress: async () => {},
  };
}

describe('a source that is moved', () => {
  it('loses and doubles no event, and each receiver goes on where it stopped', async () => {
    const there = storesOn(opened.client, opened.tables);
    const here = await openStore(undefined);
    const source = openSource('acme', 200);
    await source.poll(here);
    source.change(2);
    await source.poll(here);
    const keys = await groupsOf(here, 'acme');
    // The receiver has everything of some returns, and nothing of the others.
    const before = await relay(here, URL_ID, keys.slice(0, 80));
    source.change(3);
    const rung: GroupKey[] = [];

    const moved = await moveSource(optionsOf(here, rung), 'acme');
    const report = await source.poll(there);

    const after = await relay(there, 'Wms', await groupsOf(there, 'acme'));
    const topic = await relay(there, 'queue', await groupsOf(there, 'acme'));
    const all = await readAll(there, 'acme');
    expect(report).toMatchObject({ outcome: 'done', error: undefined });
    expect(moved.events).toBeGreaterThan(400);
    expect([...before, ...after].map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
    expect(rung.filter(({ group }) => group !== READ_GROUP)).toHaveLength(keys.length - 80);
    expect(topic).toHaveLength(all.length - (await readAll(here, 'acme')).length);
    expect(topic.length).toBeGreaterThan(50);
    expect(await gaps(there, 'acme')).toEqual([]);
    await here.close();
  });

  it('is polled by the directory no more', async () => {
    const here = await openStore(undefined);
    const source = openSource('fenced', 3);
    await source.poll(here);

    await moveSource(optionsOf(here), 'fenced');

    await expect(source.poll(here)).rejects.toThrow('was moved with "returns-feed move"');
    await here.close();
  });

  it('is whole after a move that was cut off anywhere, and run again', async () => {
    const there = storesOn(opened.client, opened.tables);
    const here = await openStore(undefined);
    const source = openSource('cut', 20);
    await source.poll(here);
    const messages: string[] = [];
    const options = optionsOf(here);
    const cutAt = (most: number) => ({
      ...options,
      async onProgress(message: string) {
        messages.push(message);
        if (messages.length === most) throw new Error('cut off');
      },
    });
    for (const most of [1, 3, 6]) await expect(moveSource(cutAt(most), 'cut')).rejects.toThrow('cut off');

    await moveSource(options, 'cut');

    expect((await source.poll(there)).counts.events).toBe(0);
    expect(await readAll(there, 'cut')).toEqual(await readAll(here, 'cut'));
    await here.close();
  });

  it('is refused where the deployment has the source with another history', async () => {
    const there = storesOn(opened.client, opened.tables);
    const here = await openStore(undefined);
    const source = openSource('twice', 3);
    await source.poll(there);
    await source.poll(here);

    const moved = moveSource(optionsOf(here), 'twice');

    await expect(moved).rejects.toThrow('another state of source twice');
    expect((await source.poll(here)).outcome).toBe('done');
    await here.close();
  });
});

async function readAll({ ledger }: { readonly ledger: Ledger }, source: string): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (const key of await groupsOf({ ledger }, source)) {
    const entries = await ledger.read(key, 0, 10_000);
    for (const entry of entries) if ('event' in entry) all.push(entry.event);
  }
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Groups whose numbers are not 1, 2, 3 … */
async function gaps(stores: { readonly ledger: Ledger }, source: string): Promise<GroupKey[]> {
  const found: GroupKey[] = [];
  for (const key of await groupsOf(stores, source)) {
    const numbers = (await stores.ledger.read(key, 0, 10_000)).map(({ sequence }) => sequence);
    if (numbers.some((number, at) => number !== at + 1)) found.push(key);
  }
  return found;
}
