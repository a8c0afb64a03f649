import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { InvalidBaseUrlError } from '../../../shared/returns-service/base-url.ts';
import {
  createReturnsServiceClient,
  type ReturnsServiceClient,
} from '../../../shared/returns-service/client.ts';
import { InvalidTokenError } from '../../../shared/returns-service/errors.ts';
import type { HttpRequest } from '../../../shared/returns-service/http-transport.ts';
import { sampleRow } from './sample-rows.ts';
import { type Scripted, scriptedTransport } from './scripted-transport.ts';

const TOKEN = 'tok_1a2b3c4d';

function clientOf(outcome: Scripted | Error = {}): { client: ReturnsServiceClient; requests: HttpRequest[] } {
  const { transport, requests } = scriptedTransport(outcome);
  const baseUrl = 'https://returns.example.com/api/';
  return { client: createReturnsServiceClient({ baseUrl, token: TOKEN, transport }), requests };
}

describe('a request', () => {
  it('goes to the path below the base URL, with the token in its header', async () => {
    const { client, requests } = clientOf();

    await client.listReturnGroups({});
    expect(requests).toMatchObject([
      {
        url: 'https://returns.example.com/api/v2/return-groups',
        headers: { 'X-Service-Api-Token': TOKEN, accept: 'application/json' },
        timeoutMs: 10_000,
        maxBytes: 16 * 1024 * 1024,
      },
    ]);
  });

  it('can have every documented parameter', async () => {
    const { client, requests } = clientOf();

    await client.listReturnGroups({
      returnGroupId: 1,
      email: 'a+b@example.com',
      orderId: 2,
      orderName: '#1042 & more',
      trackingCode: '1Z',
      minCreatedAt: '2026-11-20T10:00:00+02:00',
      maxCreatedAt: '2026-11-20T10:00:01Z',
      minUpdatedAt: '2026-11-20T10:00:02Z',
      maxUpdatedAt: '2026-11-20T10:00:03Z',
      minShippedAt: '2026-11-20T10:00:04Z',
      maxShippedAt: '2026-11-20T10:00:05Z',
      limit: 200,
      offset: 0,
    });
    expect([...new URL(requests[0]?.url ?? '').searchParams]).toEqual([
      ['return_group_id', '1'],
      ['email', 'a+b@example.com'],
      ['order_id', '2'],
      ['order_name', '#1042 & more'],
      ['tracking_code', '1Z'],
      ['min_created_at', '2026-11-20T10:00:00+02:00'],
      ['max_created_at', '2026-11-20T10:00:01Z'],
      ['min_updated_at', '2026-11-20T10:00:02Z'],
      ['max_updated_at', '2026-11-20T10:00:03Z'],
      ['min_shipped_at', '2026-11-20T10:00:04Z'],
      ['max_shipped_at', '2026-11-20T10:00:05Z'],
      ['limit', '200'],
      ['offset', '0'],
    ]);
  });

  it('has no unencoded plus or space in its query, because servers decode these differently', async () => {
    const { client, requests } = clientOf();

    await client.listReturnGroups({ minUpdatedAt: '2026-11-20 10:00:00+02:00', orderName: 'half \uD800' });
    expect(requests[0]?.url.split('?')[1]).toBe(
      'order_name=half%20%EF%BF%BD&min_updated_at=2026-11-20%2010%3A00%3A00%2B02%3A00',
    );
  });

  it('passes the limits and the signal to the transport', async () => {
    const { transport, requests } = scriptedTransport({});
    const options = {
      baseUrl: 'http://[::1]:99',
      token: ` ${TOKEN}\n`,
      transport,
      timeoutMs: 5,
      maxBytes: 6,
    };
    const { signal } = new AbortController();

    await createReturnsServiceClient(options).listReturnGroups({}, { signal });
    expect(requests).toEqual([
      {
        url: 'http://[::1]:99/v2/return-groups',
        headers: { 'X-Service-Api-Token': TOKEN, accept: 'application/json' },
        timeoutMs: 5,
        maxBytes: 6,
        signal,
      },
    ]);
  });

  it('asks caches not to answer it, if it must not be kept', async () => {
    const { client, requests } = clientOf();

    await client.listReturnGroups({}, { skipsCaches: true });
    await client.listReturnGroups({});

    expect(requests.map(({ headers }) => headers['cache-control'])).toEqual(['no-cache', undefined]);
  });

  it.each(['', '  \n', 'tok\r\nX-Other: 1', 'tok en', 'tök'])(
    'is never sent with an invalid token',
    (token) => {
      const { transport } = scriptedTransport({});

      const create = () => createReturnsServiceClient({ baseUrl: 'https://example.com', token, transport });
      expect(create).toThrow(InvalidTokenError);
      expect(create).toThrow(expect.not.objectContaining({ message: expect.stringContaining('X-Other') }));
    },
  );

  it('is never sent to an address without TLS', () => {
    const { transport } = scriptedTransport({});

    expect(() =>
      createReturnsServiceClient({ baseUrl: 'http://example.com', token: TOKEN, transport }),
    ).toThrow(InvalidBaseUrlError);
  });
});

describe('a redirect', () => {
  const HERE = 'https://returns.example.com/api/v2/return-groups';

  /** A service whose addresses answer with a status, and lead where it says; all others have an empty list. */
  function redirecting(redirects: Readonly<Record<string, string | number>>) {
    const asked: string[] = [];
    const client = createReturnsServiceClient({
      ...{ baseUrl: 'https://returns.example.com/api', token: TOKEN },
      async transport({ url }) {
        asked.push(url);
        const to = redirects[url.split('?')[0] ?? ''];
        const status = typeof to === 'number' ? to : to === undefined ? 200 : 307;
        const headers = typeof to === 'string' ? { location: to } : undefined;
        return { status, headers: headers ?? {}, body: new TextEncoder().encode('[]'), requestMs: 1 };
      },
    });
    const list = () =>
      client.listReturnGroups({ limit: 1 }).then(
        ({ rows }) => rows,
        (error: unknown) => error,
      );
    return { client, asked, list };
  }

  it.each([
    ['absolute', `${HERE}/?limit=1`],
    ['relative', '/api/v2/return-groups/?limit=1'],
    ['without its query', '/api/v2/return-groups/'],
    ['back to http, as frameworks behind a proxy write', 'http://returns.example.com/api/v2/return-groups/'],
  ])('on the same host is followed by the next request, and remembered: %s', async (_, location) => {
    const { asked, list } = redirecting({ [HERE]: location });

    const [first, ...later] = [await list(), await list(), await list()];

    expect(first).toMatchObject({ status: 307, isFollowed: true, retryable: true });
    expect(later).toEqual([[], []]);
    expect(asked).toEqual([`${HERE}?limit=1`, `${HERE}/?limit=1`, `${HERE}/?limit=1`]);
  });

  it('is followed once: two that lead to each other are a failure', async () => {
    const { asked, list } = redirecting({ [HERE]: `${HERE}/`, [`${HERE}/`]: HERE });

    const failures = [await list(), await list(), await list()];

    expect(failures).toMatchObject([{ isFollowed: true }, { isFollowed: false }, { isFollowed: true }]);
    expect(asked.map((url) => url.split('?')[0])).toEqual([HERE, `${HERE}/`, HERE]);
  });

  it('to another host is not followed', async () => {
    const { asked, list } = redirecting({ [HERE]: 'https://elsewhere.test/api/v2/return-groups' });

    const failures = [await list(), await list()];

    expect(failures).toMatchObject([{ isFollowed: false }, { isFollowed: false }]);
    expect(asked).toEqual([`${HERE}?limit=1`, `${HERE}?limit=1`]);
  });

  it.each([
    [404, HERE],
    [500, `${HERE}/`],
  ])('is forgotten where nothing is any more: after %d the next request goes to %s', async (status, next) => {
    const { asked, list } = redirecting({ [HERE]: `${HERE}/`, [`${HERE}/`]: status });

    for (const _ of [1, 2, 3]) await list();

    expect(asked.at(-1)).toBe(`${next}?limit=1`);
  });
});

describe('a page', () => {
  it('has one reading for each element, in the order of the elements', async () => {
    const { client } = clientOf({ body: [sampleRow(1), { id: 2 }, null, sampleRow(4)] });

    const page = await client.listReturnGroups({});
    expect(page.rows.map((row) => row.kind)).toEqual(['readable', 'unreadable', 'unreadable', 'readable']);
    expect(page.rows[3]).toMatchObject({ group: { id: 4 } });
  });

  it('has the age that a cache gives it, whatever its Date says', async () => {
    const { client } = clientOf({ headers: { age: '75', date: 'Sat, 21 Nov 2026 12:00:00 GMT' } });

    expect(await client.listReturnGroups({})).toMatchObject({ age: 75 * SECOND });
  });

  it('has its size, its duration and the service’s time', async () => {
    const { client } = clientOf({ headers: { date: 'Sat, 21 Nov 2026 12:00:00 GMT' }, body: '[ ]' });

    expect(await client.listReturnGroups({})).toEqual({
      rows: [],
      drift: [],
      bytes: 3,
      largestRow: 0,
      requestMs: 12,
      date: Date.UTC(2026, 10, 21, 12) * 1_000,
    });
  });

  it.each([
    ['a 204', { status: 204, body: '' }, '204 instead of an array'],
    ['null', { body: ' null\n' }, 'null instead of an array'],
  ])('is empty, with a note of drift, if the answer is %s', async (_, answer, finding) => {
    const { client } = clientOf(answer);

    expect(await client.listReturnGroups({})).toMatchObject({ rows: [], drift: [finding] });
  });

  it.each([201, 203, 206])('is a list also if the answer is a %d', async (status) => {
    const { client } = clientOf({ status, body: [sampleRow(1)] });

    expect((await client.listReturnGroups({})).rows).toHaveLength(1);
  });

  it('has no date if the answer has no valid one', async () => {
    const { client } = clientOf({ headers: { date: 'today' } });

    expect(await client.listReturnGroups({})).not.toHaveProperty('date');
  });

  it('reports unknown fields of its first rows and unlisted values of all rows', async () => {
    const lost = { ...sampleRow(9), credit_method: 'COUPON', late_field: 1 };
    const rows = [{ ...sampleRow(1), new_field: 1 }, ...[2, 3, 4].map(sampleRow), lost];
    const { client } = clientOf({ body: rows });

    const { drift } = await client.listReturnGroups({});
    expect([...drift].sort()).toEqual(['return_group.credit_method=COUPON', 'return_group.new_field']);
  });

  it('may begin with a byte order mark and contain any text', async () => {
    const row = { ...sampleRow(), return_method: '½ \u{1F4E6} \uFFFE' };
    const { client } = clientOf({ body: `\uFEFF${JSON.stringify([row])}` });

    const { rows } = await client.listReturnGroups({});
    expect(rows[0]).toMatchObject({ group: { return_method: row.return_method } });
  });
});
