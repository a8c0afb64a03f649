import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import type { Purpose } from '../../../shared/pacing/budget-state.ts';
import type { PacedRequests, SendOptions } from '../../../shared/pacing/paced-requests.ts';
import { type Page, PageOutOfReach } from '../../../shared/reading/page.ts';
import { createLookUp, createPageSource } from '../../../shared/reading/page-source.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import {
  AnswerTooLargeError,
  RateLimitedError,
  RequestTimedOutError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { anUnreadableRow, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

const RANGE = { updated: { from: NOON - HOUR, to: NOON } };

interface Sent {
  readonly purpose: Purpose;
  readonly options: SendOptions | undefined;
  readonly query: ReturnGroupsQuery;
  readonly signal: AbortSignal | undefined;
}

/** Requests that are sent without delay, to a service that answers or throws. */
function createService(answer: (query: ReturnGroupsQuery) => readonly RowReading[]) {
  const sent: Sent[] = [];
  const observed: [Page, readonly string[]][] = [];
  const requests: PacedRequests = {
    async send(purpose, request, options) {
      const client = {
        async listReturnGroups(query: ReturnGroupsQuery, { signal }: { signal?: AbortSignal }) {
          sent.push({ purpose, options, query, signal });
          return { rows: answer(query), drift: ['a new field'], bytes: 77, requestMs: 1 };
        },
      } as unknown as ReturnsServiceClient;
      const sentAnswer = await request(client);
      return { answer: sentAnswer, sentAt: NOON - 5, receivedAt: NOON + 5, accessHash: '' };
    },
    counters: () => {
      throw new Error('not used here');
    },
  } as PacedRequests;
  return {
    sent,
    observed,
    options: {
      requests,
      purpose: 'poll' as const,
      observe: (page: Page, drift: readonly string[]) => observed.push([page, drift]),
    },
  };
}

function openList(
  answer: (query: ReturnGroupsQuery) => readonly RowReading[],
  { limit = Number.MAX_SAFE_INTEGER, signal = undefined as AbortSignal | undefined } = {},
) {
  const service = createService(answer);
  const pageLimit = { current: limit };
  const stamps = { ...UNKNOWN_STAMPS, precision: 0 };
  const refused: number[] = [];
  const fetch = createPageSource({
    ...service.options,
    stamps: () => stamps,
    pageLimit,
    refusedFrom: (_, offset) => refused.push(offset),
    signal,
  });
  return { ...service, pageLimit, fetch, refused };
}

function refuseAbove(limit: number, rows: readonly RowReading[] = []) {
  return (query: ReturnGroupsQuery) => {
    if ((query.limit ?? 0) > limit)
      throw new ValidationRejectedError('refused', { parameters: ['offset', 'limit'] });
    return rows;
  };
}

describe('a page of the list', () => {
  it('is requested with the range’s bounds, in the form of the stamps', async () => {
    const list = openList(() => rowsOf(1, 2));

    await list.fetch({ range: RANGE, offset: 0 });

    expect(list.sent[0]?.query).toEqual({
      minUpdatedAt: '2026-11-20T10:59:59Z',
      maxUpdatedAt: '2026-11-20T12:00:00Z',
      minCreatedAt: undefined,
      maxCreatedAt: undefined,
      limit: 200,
    });
  });

  it('is requested at its offset, with the given number of rows', async () => {
    const list = openList(() => []);

    await list.fetch({ range: {}, offset: 40, limit: 7 });

    expect(list.sent[0]?.query).toMatchObject({ offset: 40, limit: 7 });
  });

  it('is requested with the purpose’s budget and the number of requests likely to follow', async () => {
    const { signal } = new AbortController();
    const list = openList(() => [], { signal });

    await list.fetch({ range: RANGE, offset: 0, expect: 12 });
    await list.fetch({ range: RANGE, offset: 0 });

    expect(list.sent.map(({ purpose }) => purpose)).toEqual(['poll', 'poll']);
    expect(list.sent.map(({ options }) => options)).toEqual([{ expect: 12 }, { expect: 1 }]);
    expect(list.sent[0]?.signal).toBe(signal);
  });

  it('is returned with its rows, bytes and times, after it was observed', async () => {
    const list = openList(() => rowsOf(1, 2));

    const page = await list.fetch({ range: RANGE, offset: 0 });

    expect(page).toEqual({
      rows: rowsOf(1, 2),
      bytes: 77,
      asked: 200,
      sentAt: NOON - 5,
      receivedAt: NOON + 5,
    });
    expect(list.observed).toEqual([[page, ['a new field']]]);
  });
});

describe('a refused limit', () => {
  it('is halved until it is accepted, and kept', async () => {
    const list = openList(refuseAbove(37, rowsOf(1)));

    const page = await list.fetch({ range: RANGE, offset: 0 });
    await list.fetch({ range: RANGE, offset: 1 });

    expect(page.rows).toEqual(rowsOf(1));
    expect(list.sent.map(({ query }) => query.limit)).toEqual([200, 100, 50, 25, 25]);
    expect(list.pageLimit.current).toBe(25);
  });

  it('is half the requested number of rows if that was smaller', async () => {
    const list = openList(refuseAbove(3), { limit: 100 });

    await list.fetch({ range: RANGE, offset: 0, limit: 9 });

    expect(list.sent.map(({ query }) => query.limit)).toEqual([9, 4, 2]);
  });

  it('is never above the known limit of the service', async () => {
    const list = openList(() => [], { limit: 50 });

    await list.fetch({ range: RANGE, offset: 0, limit: 80 });
    await list.fetch({ range: RANGE, offset: 0, limit: 20 });

    expect(list.sent.map(({ query }) => query.limit)).toEqual([50, 20]);
    expect(list.pageLimit.current).toBe(50);
  });

  it('is an error if the service refuses even one row', async () => {
    const list = openList(refuseAbove(0));

    const asking = list.fetch({ range: RANGE, offset: 0 });

    await expect(asking).rejects.toThrow(ValidationRejectedError);
    expect(list.sent.at(-1)?.query.limit).toBe(1);
    expect(list.pageLimit.current).toBe(1);
  });

  it('is at least one row', async () => {
    const list = openList(() => []);

    await list.fetch({ range: RANGE, offset: 0, limit: 0 });

    expect(list.sent[0]?.query.limit).toBe(1);
  });

  it.each([
    new ValidationRejectedError('refused', { parameters: ['min_updated_at'] }),
    Object.assign(new Error('injected by the test'), { parameters: ['limit'] }),
  ])('differs from other failures, which are thrown unchanged', async (failure) => {
    const list = openList(() => {
      throw failure;
    });

    const asking = list.fetch({ range: RANGE, offset: 0 });

    await expect(asking).rejects.toBe(failure);
    expect(list.sent.length).toBe(1);
    expect(list.observed).toEqual([]);
  });
});

const badRequest = new UnexpectedStatusError('refused', { status: 400, retryAfterMs: undefined });
const outage = new UnexpectedStatusError('failed', { status: 500, retryAfterMs: undefined });
const rateLimited = new RateLimitedError('refused', { retryAfterMs: undefined });
const tooLarge = new AnswerTooLargeError('too large', {});
const timedOut = new RequestTimedOutError('too late', {});

/** Fails requests for more rows than this, and answers the others. */
function failAbove(limit: number, failure: Error, rows: readonly RowReading[] = []) {
  return (query: ReturnGroupsQuery) => {
    if ((query.limit ?? 0) > limit) throw failure;
    return rows;
  };
}
const limitsOf = ({ sent }: { readonly sent: readonly Sent[] }) => sent.map(({ query }) => query.limit);

describe('a first page that fails', () => {
  it.each([
    ['is too large', tooLarge],
    ['takes too long', timedOut],
    ['fails at the service', outage],
  ])('because it %s is requested with ten rows, and later pages are half as long', async (_, failure) => {
    const list = openList(failAbove(10, failure, rowsOf(1)));

    const page = await list.fetch({ range: RANGE, offset: 0, expect: 3 });

    expect(page).toMatchObject({ rows: rowsOf(1), asked: 10 });
    expect(limitsOf(list)).toEqual([200, 10]);
    expect(list.sent[1]).toMatchObject({
      query: { minUpdatedAt: '2026-11-20T10:59:59Z' },
      options: { expect: 3 },
    });
    expect(list.sent[1]?.query.offset).toBeUndefined();
    expect(list.pageLimit.current).toBe(100);
  });

  it('throws its own error if ten rows fail as well', async () => {
    let failures = 0;
    const list = openList(() => {
      failures += 1;
      throw failures === 1 ? timedOut : outage;
    });

    const asking = list.fetch({ range: RANGE, offset: 0 });

    await expect(asking).rejects.toBe(timedOut);
    expect(limitsOf(list)).toEqual([200, 10]);
    expect(list.pageLimit.current).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['its rows are not the reason', badRequest, 200],
    ['there were too many requests', rateLimited, 200],
    ['it has ten rows already', timedOut, 10],
  ])('is not requested again if %s', async (_, failure, limit) => {
    const failures = [failure];
    const list = openList(() => {
      const next = failures.pop();
      if (next !== undefined) throw next;
      return [];
    });

    const asking = list.fetch({ range: RANGE, offset: 0, limit });

    await expect(asking).rejects.toBe(failure);
    expect(limitsOf(list)).toEqual([limit]);
    expect(list.refused).toEqual([]);
  });
});

describe('a page behind the first', () => {
  it('is requested with fewer rows if the service refuses the sum of limit and offset', async () => {
    const list = openList((query) => refuseAbove(250 - (query.offset ?? 0), rowsOf(1))(query));

    await list.fetch({ range: RANGE, offset: 0 });
    await list.fetch({ range: RANGE, offset: 200 });

    expect(limitsOf(list)).toEqual([200, 200, 100, 50]);
    expect(list.pageLimit.current).toBe(Number.MAX_SAFE_INTEGER);
    expect(list.refused).toEqual([]);
  });

  it('is out of reach if the service refuses even ten rows', async () => {
    const list = openList(refuseAbove(0));

    const asking = list.fetch({ range: RANGE, offset: 200 });

    await expect(asking).rejects.toThrow(PageOutOfReach);
    expect(limitsOf(list)).toEqual([200, 100, 50, 25, 12, 10]);
    expect(list.refused).toEqual([200]);
  });

  it.each([badRequest, outage, timedOut, tooLarge])('is out of reach if it fails: $name', async (failure) => {
    const list = openList(failAbove(0, failure));

    const asking = list.fetch({ range: RANGE, offset: 40 });

    await expect(asking).rejects.toMatchObject({
      name: 'PageOutOfReach',
      message: 'No page is available from row 40 on.',
      cause: failure,
    });
    expect(limitsOf(list)).toEqual([200]);
    expect(list.refused).toEqual([40]);
  });

  it('throws a failure that has nothing to do with its place', async () => {
    const list = openList(failAbove(0, rateLimited));

    const asking = list.fetch({ range: RANGE, offset: 40 });

    await expect(asking).rejects.toBe(rateLimited);
    expect(list.refused).toEqual([]);
  });
});

describe('a group that is looked up', () => {
  it('is requested by its id only', async () => {
    const { signal } = new AbortController();
    const service = createService(() => rowsOf(7));

    const page = await createLookUp({ ...service.options, signal })(7);

    expect(service.sent).toEqual([
      { purpose: 'poll', options: undefined, query: { returnGroupId: 7 }, signal },
    ]);
    expect(page).toEqual({ rows: rowsOf(7), bytes: 77, sentAt: NOON - 5, receivedAt: NOON + 5 });
    expect(service.observed).toEqual([[page, ['a new field']]]);
  });

  it('is not found if the service returns other groups, like a service that ignores the id', async () => {
    const service = createService(() => [...rowsOf(1, 2), anUnreadableRow(3)]);

    const page = await createLookUp(service.options)(7);

    expect(page.rows).toEqual([]);
  });

  it.each([
    ['alone', []],
    ['among others', rowsOf(1, 2)],
  ])('may be a row without a certain id (%s), which gets the requested id', async (_, others) => {
    const service = createService(() => [...others, anUnreadableRow()]);

    const page = await createLookUp(service.options)(7);

    expect(page.rows).toEqual([anUnreadableRow(7)]);
  });

  it('is not a row without an id if another row has the id', async () => {
    const service = createService(() => [anUnreadableRow(), ...rowsOf(7)]);

    const page = await createLookUp(service.options)(7);

    expect(page.rows).toEqual(rowsOf(7));
  });

  it('is found if it is unreadable but has its id', async () => {
    const service = createService(() => [anUnreadableRow(6), anUnreadableRow(7)]);

    const page = await createLookUp(service.options)(7);

    expect(page.rows).toEqual([anUnreadableRow(7)]);
  });
});
