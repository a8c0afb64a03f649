// The pull feed of a deployment, over the wire: who may read it, and that nothing is missing.
import type { IncomingMessage } from 'node:http';
import { stream as openStream } from '@durable-streams/client';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { hashToken } from '../../../functions/adapters/token-hash.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { ReturnChanged } from '../../../shared/contract/return-message.ts';
import { type Reader, withToken } from '../../../shared/pulling/reader.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';
import { toEvent } from './function-url-front.ts';
import { type PullFunction, startPullFunction } from './pull-function.ts';

const GROUPS = 130;

let pull: PullFunction;

test('importing it reads no environment; the first request does, and names the missing variables', async () => {
  const { handler } = await import('../../../functions/pull/handler.ts');

  await expect(handler(toEvent({ headers: {} } as IncomingMessage))).rejects.toThrow(
    'environment is incomplete or invalid',
  );
});

describe('a reader in AWS', () => {
  beforeAll(async () => {
    pull = await startPullFunction();
    await pull.stores.states.save({ ...aState('acme'), generation: aKey(1).generation, baselineAt: 1 }, 0);
    for (let group = 1; group <= GROUPS; group += 1)
      await pull.save(aKey(group), aSave(aKey(group), undefined, 2));
  });
  afterAll(() => pull.close());

  async function aReader(name: string, filter = {}, shape?: Reader['shape']): Promise<string> {
    const token = `token-of-${name}`;
    await pull.stores.readers.add(name, { filter, shape, tokens: [hashToken(token)] });
    return token;
  }

  function get(path: string, token: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${pull.url}/v1/readers/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
  }

  /** Each page, until there is no more. */
  async function readAll(name: string, token: string, from = '-1') {
    const events: FeedEvent[] = [];
    for (let next = from; ; ) {
      const answer = await get(`${name}?offset=${next}`, token);
      events.push(...((await answer.json()) as FeedEvent[]));
      next = answer.headers.get('stream-next-offset') ?? '';
      if (answer.headers.get('stream-up-to-date') === 'true') return { events, next };
    }
  }

  it('gets every event once, each return in order', async () => {
    const token = await aReader('all');

    const { events } = await readAll('all', token);

    const groups = Map.groupBy(events, ({ partitionkey }) => partitionkey);
    expect([events.length, groups.size]).toEqual([2 * GROUPS, GROUPS]);
    for (const [, ofGroup] of groups) expect(ofGroup.map(({ data }) => data.sequence)).toEqual([1, 2]);
  });

  it('misses nothing between the state and the offset that it names', async () => {
    const token = await aReader('starting');
    const first = await get('starting/state', token);
    await pull.save(aKey(9_001), aSave(aKey(9_001), undefined, 1));

    const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await get(link.replace('/v1/readers/', ''), token);
    const { events } = await readAll('starting', token, first.headers.get('stream-next-offset') ?? '');

    const rows = [...((await first.json()) as unknown[]), ...((await second.json()) as unknown[])];
    expect(rows).toHaveLength(GROUPS + 1);
    expect(second.headers.get('link')).toBeNull();
    expect(events.map(({ id }) => id)).toEqual(['acme_mi8x2k_9001_1']);
  });

  it('of whole returns gets each as it is, once in a page', async () => {
    const token = await aReader('whole', { sources: ['acme'] }, 'return');
    const key = aKey(9_100);
    const first = aSave(key, undefined, 2);
    await pull.save(key, first);
    const { next } = await readAll('whole', token);
    await pull.save(key, aSave(key, first.snapshot, 3));

    const { events } = await readAll('whole', token, next);

    const [message, ...others] = events as unknown as ReturnChanged[];
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      id: 'acme_mi8x2k_9100_r5',
      data: { sequence: 5, return: { sequence: 5 } },
    });
    expect(message?.data.changes.map(({ id }) => id)).toEqual(
      [3, 4, 5].map((at) => `acme_mi8x2k_9100_${at}`),
    );
  });

  it('that waits gets a change within seconds', async () => {
    const token = await aReader('waiting');
    const { next } = await readAll('waiting', token);
    const waiting = get(`waiting?offset=${next}&live=long-poll`, token);

    await pull.save(aKey(9_002), aSave(aKey(9_002), undefined, 1));

    expect((await waiting).status).toBe(200);
  });

  it('gets the events alone that its filter admits', async () => {
    const token = await aReader('other', { sources: ['globex'] });

    expect((await readAll('other', token)).events).toEqual([]);
  });

  it('is read by an unmodified client', async () => {
    const token = await aReader('client');

    const read = await openStream<FeedEvent>({
      url: `${pull.url}/v1/readers/client`,
      ...{ offset: '-1', live: true, headers: { authorization: `Bearer ${token}` } },
    });

    expect(await read.json()).toEqual((await readAll('client', token)).events);
  });

  it('is noted with the offset that it asks from, at most once a minute', async () => {
    const token = await aReader('noted');
    const first = await get('before?offset=-1&limit=1', await aReader('before'));
    const offset = first.headers.get('stream-next-offset') ?? '';

    await get(`noted?offset=${offset}&limit=1`, token);
    await get('noted?offset=now', token);

    expect(await pull.stores.readers.load('noted')).toMatchObject({ lastOffset: offset });
  });

  it('is refused without a token of its own', async () => {
    const [, other] = [await aReader('mine'), await aReader('theirs')];

    const answers = await Promise.all([
      fetch(`${pull.url}/v1/readers/mine`),
      get('mine', 'wrong'),
      get('mine', other),
      get('mine/state', other),
      get('nobody', other),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 404]);
  });

  it('is refused with a token after two rotations, and once it is removed', async () => {
    const first = await aReader('rotated');
    const rotate = (token: string) =>
      pull.stores.readers.change('rotated', (reader) => withToken(reader, hashToken(token)));
    await rotate('second');
    const both = await Promise.all([first, 'second'].map((token) => get('rotated', token)));
    await rotate('third');
    const after = await Promise.all([first, 'second', 'third'].map((token) => get('rotated', token)));
    await pull.stores.readers.remove('rotated');

    const removed = await get('rotated', 'third');

    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(after.map(({ status }) => status)).toEqual([401, 200, 200]);
    expect(removed.status).toBe(404);
  });

  it.each([
    ['PUT', '', 405],
    ['POST', '/state', 405],
    ['GET', '/state?page=another', 400],
    ['GET', '?offset=', 400],
    ['GET', '?offset=-1&live=sse', 400],
    ['GET', `?offset=another-table_${'0'.repeat(16)}`, 410],
    ['GET', '/else', 404],
  ])('is answered %s %s with %i', async (method, query, status) => {
    const name = `refused-${query.length}-${method.length}`;
    const token = await aReader(name);

    const answer = await get(`${name}${query}`, token, { method });

    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  });

  it('learns that what followed its offset has expired, and may begin with what is kept', async () => {
    const token = await aReader('late');
    const first = await get('late?offset=-1&limit=1', token);
    const offset = first.headers.get('stream-next-offset') ?? '';
    for (const position of [1, 2, 3]) await pull.expire(position);

    const [late, fresh] = await Promise.all([
      get(`late?offset=${offset}`, token),
      get('late?limit=1', token),
    ]);

    const [event] = (await fresh.json()) as FeedEvent[];
    expect([late.status, fresh.status, event?.id]).toEqual([410, 200, 'acme_mi8x2k_2_2']);
  });
});
