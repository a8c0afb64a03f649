// The pull feed of a running `watch`, over the wire: who may read it, and that nothing is missing.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stream as openStream } from '@durable-streams/client';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { createFeedHealth } from '../../../local/listener/feed-health.ts';
import { parseListenAt } from '../../../local/listener/parse-listen-at.ts';
import { type Listening, startListener } from '../../../local/listener/start-listener.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { type LocalStore, openStore } from '../../../local/store/open-store.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { ReturnChanged, WholeReturn } from '../../../shared/contract/return-message.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { receiverUnderTest } from '../../functions/subscriber-kit/receiver-under-test.ts';
import { attempt } from '../../functions/subscriber-kit/signed-requests.ts';
import { runFeed } from '../cli/run-feed.ts';
import { type FeedOfOne, startFeedOfOne } from '../feed/feed-of-one.ts';
import { pollingFeed, SOON_MS } from '../feed/polling-feed.ts';

const TOKEN = 'the-token-of-the-store';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

let data: string;
let service: ReferenceService;
let feed: FeedOfOne;
let store: LocalStore;
let listening: Listening;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'pull-'));
  service = await createReferenceService({ groups: 130, token: TOKEN, life: false });
  const settings = { name: 'acme', baseUrl: service.url, baseline: 'emit', intervalMs: SOON_MS };
  const opened = await startFeedOfOne({
    settings: sourceSettings.parse({ ...settings, requestsPerMinute: 2_000 }),
    ...{ token: TOKEN, dataDir: data, log: QUIET, onEvent: async () => {} },
  });
  feed = pollingFeed(opened);
  store = await openStore(data);
  listening = await startListener(parseListenAt('0'), {
    ...{ store, clock: createSystemClock(), log: QUIET, health: createFeedHealth(data) },
  });
  await feed.tick();
});
afterAll(async () => {
  await listening.close();
  await Promise.all([feed.close(), store.close()]);
  await service.close();
  await rm(data, { recursive: true });
});

const readers = (...args: string[]) => runFeed(['readers', ...args, '--data', data], { token: TOKEN });

async function aReader(name: string, ...args: string[]): Promise<string> {
  return (await readers('add', name, ...args)).stdout.trim();
}

function get(path: string, token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${listening.url}/v1/readers/${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
}

/** Each page, until there is no more. */
async function readAll<Message = FeedEvent>(
  name: string,
  token: string,
  from = '-1',
): Promise<{ events: Message[]; next: string }> {
  const events: Message[] = [];
  for (let next = from; ; ) {
    const answer = await get(`${name}?offset=${next}`, token);
    events.push(...((await answer.json()) as Message[]));
    next = answer.headers.get('stream-next-offset') ?? '';
    if (answer.headers.get('stream-up-to-date') === 'true') return { events, next };
  }
}

function change(count: number): void {
  for (const { id } of service.control.snapshot().slice(0, count))
    service.control.mutate(Number(id), (draft) => {
      draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
    });
}

describe('a reader of the pull feed', () => {
  it('gets every event once, each return in order', async () => {
    const token = await aReader('all');

    const { events } = await readAll('all', token);

    const saved = [...new Set(events.map(({ id }) => id))];
    const groups = Map.groupBy(events, ({ partitionkey }) => partitionkey);
    expect(saved.length).toBe(events.length);
    expect(groups.size).toBe(130);
    for (const [, ofGroup] of groups)
      expect(ofGroup.map(({ data }) => data.sequence)).toEqual(ofGroup.map((_, index) => index + 1));
  });

  it('misses nothing between the state and the offset that it names', async () => {
    const token = await aReader('starting');
    const first = await get('starting/state', token);
    change(5);
    await feed.tick();

    const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await fetch(`${listening.url}${link}`, { headers: { authorization: `Bearer ${token}` } });
    const { events } = await readAll('starting', token, first.headers.get('stream-next-offset') ?? '');

    const rows = [...((await first.json()) as unknown[]), ...((await second.json()) as unknown[])];
    expect(rows).toHaveLength(130);
    expect(second.headers.get('link')).toBeNull();
    expect(new Set(events.map(({ partitionkey }) => partitionkey)).size).toBe(5);
  });

  it('that waits gets a change as it is saved', async () => {
    const token = await aReader('waiting');
    const waiting = get('waiting?offset=now&live=long-poll', token);
    change(1);

    await feed.tick();

    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).not.toEqual([]);
  });

  it('gets the events alone that its filter admits', async () => {
    const filter = { types: ['shipment.created'] };
    const token = await aReader('parcels', '--filter', JSON.stringify(filter));

    const { events } = await readAll('parcels', token);

    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['shipment.created']));
  });

  it('is read by an unmodified client', async () => {
    const token = await aReader('client');

    const read = await openStream<FeedEvent>({
      url: `${listening.url}/v1/readers/client`,
      ...{ offset: '-1', live: true, headers: { authorization: `Bearer ${token}` } },
    });
    const events = await read.json();

    expect(events).toEqual((await readAll('client', token)).events);
  });
});

describe('a reader of whole returns', () => {
  it('ends with the rows of `state`, each page with each return once', async () => {
    const token = await aReader('whole', '--shape', 'return');
    change(3);
    await feed.tick();

    const { events } = await readAll<ReturnChanged>('whole', token);

    const newest = new Map(events.map(({ data }) => [data.return_group.id, data.return]));
    const rows: WholeReturn[] = [];
    for (let path = 'whole/state'; path !== ''; ) {
      const answer = await get(path, token);
      for (const { source: _, ...row } of (await answer.json()) as (WholeReturn & { source: string })[])
        rows.push(row);
      path = /readers\/([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['return.changed']));
    expect([rows.length, newest.size]).toEqual([130, 130]);
    for (const row of rows) expect(newest.get(row.return_group.id)).toEqual(row);
  });

  it('gets a page anew although it has one of the same offset, because it shows what is there now', async () => {
    const token = await aReader('anew', '--shape', 'return');
    const before = await get('anew?offset=-1&limit=1', token);
    const [first] = (await before.json()) as ReturnChanged[];
    service.control.mutate(first?.data.return_group.id ?? 0, (draft) => {
      draft.return_outcome = `${draft.return_outcome}+credit`;
    });
    await feed.tick();

    const after = await get('anew?offset=-1&limit=1', token);

    const [again] = (await after.json()) as ReturnChanged[];
    expect([after.status, before.headers.get('etag')]).toEqual([200, null]);
    expect(again?.data.sequence).toBeGreaterThan(first?.data.sequence ?? 0);
  });

  it('is read with the kit, which drops the state of an earlier page that comes again', async () => {
    const token = await aReader('kit', '--shape', 'return');
    const { events: earlier, next } = await readAll<ReturnChanged>('kit', token);
    change(1);
    await feed.tick();
    const { events: later } = await readAll<ReturnChanged>('kit', token, next);
    const stale = earlier.filter(({ subject }) => subject === later[0]?.subject).slice(-1);
    const states: (number | undefined)[] = [];
    const { receiver, outcomes } = receiverUnderTest({
      on: { 'return.changed': ({ data }) => void states.push(data.return?.sequence) },
    });

    for (const message of [...stale, ...later, ...later, ...stale]) await receiver(attempt(message));

    expect([stale.length, later.length]).toEqual([1, 1]);
    expect(outcomes).toEqual(['handled', 'handled', 'repeated', 'stale']);
    expect(states).toEqual([...stale, ...later].map(({ data }) => data.sequence));
  });
});

describe('the pull feed refuses', () => {
  it('a request without a token, with a wrong one, and with that of another reader', async () => {
    const [, other] = [await aReader('mine'), await aReader('other')];

    const answers = await Promise.all([
      fetch(`${listening.url}/v1/readers/mine`),
      get('mine', 'wrong'),
      get('mine', other),
      get('mine/state', other),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it('a token after two rotations, and a reader that was removed', async () => {
    const first = await aReader('rotated');
    const second = (await readers('rotate', 'rotated')).stdout.trim();
    const both = await Promise.all([first, second].map((token) => get('rotated', token)));
    const third = (await readers('rotate', 'rotated')).stdout.trim();
    const after = await Promise.all([first, second, third].map((token) => get('rotated', token)));
    await readers('remove', 'rotated');

    const removed = await get('rotated', third);

    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(after.map(({ status }) => status)).toEqual([401, 200, 200]);
    expect(removed.status).toBe(404);
  });

  it.each([
    ['PUT', '', 405],
    ['GET', '?offset=', 400],
    ['GET', '?offset=-1&live=sse', 400],
    ['GET', `?offset=another-directory_${'0'.repeat(16)}`, 410],
  ])('%s %s', async (method, query, status) => {
    const token = await aReader(`refused-${status}-${query.length}`);

    const answer = await fetch(`${listening.url}/v1/readers/refused-${status}-${query.length}${query}`, {
      ...{ method, headers: { authorization: `Bearer ${token}` } },
    });

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('the listener says how the feed is', () => {
  beforeAll(async () => {
    await get('metered?offset=-1', await aReader('metered'));
  });

  it('as `status` judges it, with 503 where something needs attention', async () => {
    const answer = await fetch(`${listening.url}/health`);

    expect([answer.status, await answer.json()]).toEqual([
      200,
      { verdict: 'well', concerns: [], unknown: [] },
    ]);
  });

  it('in metrics that name each source and destination', async () => {
    const answer = await fetch(`${listening.url}/metrics`);

    const text = await answer.text();
    expect(answer.headers.get('content-type')).toContain('application/openmetrics-text');
    expect(text).toMatch(/^returns_feed_well 1$/m);
    expect(text).toMatch(/^returns_feed_sources\{verdict="well"\} 1$/m);
    expect(text).toMatch(/^returns_feed_poll_age_seconds\{source="acme"\} \d/m);
    expect(text).toMatch(/^returns_feed_returns_waiting\{destination="[^"]+"\} 0$/m);
    expect(text).toMatch(/^returns_feed_reader_unread_events\{reader="metered"\} [1-9]/m);
    expect(text).toMatch(/^returns_feed_reader_lag_seconds\{reader="metered"\} \d/m);
    expect(text).not.toContain('destination="metered"');
    expect(text.trimEnd().endsWith('# EOF')).toBe(true);
  });

  it('with 404 for other paths', async () => {
    expect((await fetch(`${listening.url}/`)).status).toBe(404);
  });
});

test('`readers list` says how far each has read', async () => {
  const { next } = await readAll('before', await aReader('before'));
  await get(`listed?offset=${next}`, await aReader('listed'));
  change(1);
  await feed.tick();
  const { events } = await readAll('before', (await readers('rotate', 'before')).stdout.trim(), next);

  const { stdout } = await readers('list');

  expect(events.length).toBeGreaterThan(0);
  expect(stdout).toMatch(
    new RegExp(`^listed +unread +${events.length} events? waiting; the oldest for .* last asked `, 'm'),
  );
});

test.each([
  ['8091', { host: '127.0.0.1', port: 8091 }],
  ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ['[::]:80', { host: '::', port: 80 }],
  ['feed.example.com:80', { host: 'feed.example.com', port: 80 }],
])('--listen %s is a place', (text, place) => {
  expect(parseListenAt(text)).toEqual(place);
});

test.each(['', ':', 'a', '1.2.3.4', '127.0.0.1:99999', 'http://a:1'])('--listen %s is none', (text) => {
  expect(() => parseListenAt(text)).toThrow('is no place to listen at');
});
