// What the pull feed bounds, whatever the server.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { createPullAnswers, type PullRequest } from '../../../shared/pulling/answer-pull.ts';
import type { ReadAnswer } from '../../../shared/pulling/answer-read.ts';
import type { Reader } from '../../../shared/pulling/reader.ts';
import { ACME, aSnapshot } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

/**
 * A feed with one reader, `all`, whose token is `token`.
 *
 * @param newest the position of the newest event; no event is kept
 */
function open(returns: Readonly<Record<string, readonly Snapshot[]>> = {}, newest = 0) {
  const clock = createVirtualClock();
  const lists = { count: 0 };
  const readers = new Map<string, Reader>([['all', { filter: {}, tokens: ['hash of token'] }]]);
  const states = new Map(
    Object.keys(returns).map((name) => [name, { ...aState(name), ...ACME, source: name, baselineAt: 1 }]),
  );
  const answer = createPullAnswers({
    clock,
    hashToken: (token) => `hash of ${token}`,
    readers: {
      list: async () => readers,
      load: async (name) => readers.get(name),
      add: async () => false,
      async change(name, to) {
        readers.set(name, to(readers.get(name) as Reader));
        return readers.get(name);
      },
      remove: async () => false,
    },
    positions: {
      epoch: async () => 'here',
      read: async () => ({ events: [], last: newest }),
      ...{ newest: async () => newest, expired: async () => 0 },
      change: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    },
    ledger: { read: async () => [] },
    snapshots: {
      load: async ({ source }) =>
        new Map(returns[source]?.map((snapshot) => [snapshot.groupId, snapshot] as const)),
      async *knownCreatedBetween({ source }, from) {
        for (const { groupId, createdAt } of returns[source] ?? [])
          if (createdAt >= from) yield { groupId, createdAt, digest: undefined };
      },
    },
    states: { load: async (name) => states.get(name) },
    async sources() {
      lists.count += 1;
      return Object.keys(returns);
    },
  });
  const ask = (path: string, query = '', given: Partial<PullRequest> = {}): Promise<ReadAnswer> =>
    answer({
      ...{ method: 'GET', path, query: new URLSearchParams(query), ifNoneMatch: undefined },
      ...{ authorization: 'Bearer token', signal: new AbortController().signal, ...given },
    });
  return { ask, clock, readers, states, lists };
}

const EVENTS = '/v1/readers/all';
const [START, END] = ['here_0000000000000000', 'here_0000000000000001'];
const rowsOf = ({ body }: ReadAnswer) =>
  JSON.parse(new TextDecoder().decode(body)) as { source: string; return_group: { id: number } }[];
const linkOf = ({ headers }: ReadAnswer) => /\?(page=[^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];

/** The rows of each page. */
async function readState(ask: ReturnType<typeof open>['ask']) {
  const pages: ReturnType<typeof rowsOf>[] = [];
  for (let query: string | undefined = ''; query !== undefined; ) {
    const answer: ReadAnswer = await ask(`${EVENTS}/state`, query);
    pages.push(rowsOf(answer));
    query = linkOf(answer);
  }
  return pages;
}

describe('a reader of the pull feed', () => {
  it('gets 429 after 600 requests, and answers again a minute later', async () => {
    const { ask, clock } = open();
    for (let sent = 0; sent < 600; sent += 1) expect((await ask(EVENTS)).status).toBe(200);

    const [tooMany] = [await ask(EVENTS), await clock.advance(MINUTE)];

    expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([429, '10']);
    expect((await ask(EVENTS)).status).toBe(200);
  });

  it('has 20 long polls at once, and others when they have ended', async () => {
    const { ask, clock } = open();
    const wait = () => ask(EVENTS, 'offset=now&live=long-poll');
    const waiting = Array.from({ length: 20 }, wait);

    const tooMany = await wait();
    await clock.advance(MINUTE);

    expect(tooMany.status).toBe(429);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 204));
    const later = wait();
    await clock.advance(MINUTE);
    expect((await later).status).toBe(204);
  });

  it.each([
    ['-1', undefined],
    ['now', END],
    [START, START],
  ])('that asks from %s is noted there, whatever the answer brings', async (offset, noted) => {
    const { ask, readers } = open({}, 1);

    const answer = await ask(EVENTS, `offset=${offset}`);

    expect(answer.headers['stream-next-offset']).toBe(END);
    expect(readers.get('all')).toMatchObject({ readAt: expect.any(Number) });
    expect(readers.get('all')?.lastOffset).toBe(noted);
  });

  it.each([
    ['HEAD', 'offset=-1'],
    ['GET', ''],
    ['GET', 'offset=another-feed_0000000000000000'],
  ])('is not noted by a request that brings nothing beyond an offset: %s %s', async (method, query) => {
    const { ask, readers } = open();

    await ask(EVENTS, query, { method });

    expect(readers.get('all')?.readAt).toBeUndefined();
  });

  it('is noted once a minute', async () => {
    const { ask, clock, readers } = open();
    const noted: (number | undefined)[] = [];

    for (const wait of [0, MINUTE / 2, MINUTE / 2]) {
      await clock.advance(wait);
      await ask(EVENTS, 'offset=-1');
      noted.push(readers.get('all')?.readAt);
    }

    expect(noted).toEqual([noted[0], noted[0], Number(noted[0]) + MINUTE]);
  });
});

describe('the state', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => aSnapshot(index + 1));

  it('comes in pages, one source after the other, each return once', async () => {
    const { ask } = open({ acme: many(130), globex: many(3) });

    const pages = await readState(ask);

    expect(pages.map((rows) => rows.length)).toEqual([100, 30, 3]);
    expect(new Set(pages.flat().map((row) => `${row.source} ${row.return_group.id}`)).size).toBe(133);
  });

  it('ends a page at a MiB, and goes on with the next return', async () => {
    const large = aSnapshot(1);
    const order = { ...large.projection.group.order, name: 'x'.repeat(400_000) };
    const group = { ...large.projection.group, order };
    const returns = [1, 2, 3, 4].map((id) =>
      aSnapshot(id, 1, { projection: { ...large.projection, group } }),
    );
    const { ask } = open({ acme: returns });

    const pages = await readState(ask);

    expect(pages.map((rows) => rows.length)).toEqual([3, 1]);
  });

  it('goes on with the other sources when one was removed meanwhile', async () => {
    const { ask, states } = open({ acme: many(130), globex: many(3) });
    const first = await ask(`${EVENTS}/state`);
    states.delete('acme');

    const second = await ask(`${EVENTS}/state`, linkOf(first));
    const third = await ask(`${EVENTS}/state`, linkOf(second));

    expect([rowsOf(second).length, rowsOf(third).length]).toEqual([0, 3]);
  });

  it('lists the sources once for all pages, and again for who begins later', async () => {
    const returns = { acme: many(1), globex: many(1), initech: many(1) };
    const { ask, clock, lists, states } = open(returns);
    await readState(ask);
    const listedOnce = lists.count;
    await clock.advance(MINUTE);
    Object.assign(returns, { umbrella: many(1) });
    states.set('umbrella', { ...aState('umbrella'), ...ACME, source: 'umbrella', baselineAt: 1 });

    const pages = await readState(ask);

    expect([listedOnce, lists.count]).toEqual([1, 2]);
    expect(pages.map(([row]) => row?.source)).toEqual(['acme', 'globex', 'initech', 'umbrella']);
  });

  it('is not there before the baseline', async () => {
    const { ask, states } = open({ acme: many(1) });
    states.set('acme', { ...aState('acme'), ...ACME, baselineAt: undefined as unknown as number });

    expect((await ask(`${EVENTS}/state`)).status).toBe(503);
  });
});
