import { describe, expect, it } from 'vitest';
import { DeadlineReached, NotTriedAgain } from '../../../shared/pacing/errors.ts';
import { PageOutOfReach } from '../../../shared/reading/page.ts';
import {
  AnswerTooLargeError,
  RateLimitedError,
  RequestTimedOutError,
  UnexpectedStatusError,
} from '../../../shared/returns-service/errors.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { openList, RANGE, refuseAbove, type Sent } from './listing-service.ts';
import { rowsOf } from './some-rows.ts';

const badRequest = new UnexpectedStatusError('refused', { status: 400, retryAfterMs: undefined });
const outage = new UnexpectedStatusError('failed', { status: 500, retryAfterMs: undefined });
const rateLimited = new RateLimitedError('refused', { retryAfterMs: undefined });
const tooLarge = new AnswerTooLargeError('too large', {});
const timedOut = new RequestTimedOutError('too late', {});
const notTriedAgain = new NotTriedAgain('too late', {});

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

  // Before, half a minute without the service made pages smaller.
  it('in a way that is not tried again: the page is read at full length after all if ten rows arrive', async () => {
    let requests = 0;
    const list = openList(() => {
      requests += 1;
      if (requests === 1) throw notTriedAgain;
      return rowsOf(1);
    });

    const page = await list.fetch({ range: RANGE, offset: 0 });

    expect(page).toMatchObject({ asked: 200 });
    expect(limitsOf(list)).toEqual([200, 10, 200]);
    expect(list.pageLimit.current).toBeGreaterThanOrEqual(200);
  });

  it('again, after ten rows have arrived, makes pages half as long', async () => {
    const list = openList(failAbove(10, notTriedAgain, rowsOf(1)));

    const page = await list.fetch({ range: RANGE, offset: 0 });

    expect(page).toMatchObject({ rows: rowsOf(1), asked: 10 });
    expect(limitsOf(list)).toEqual([200, 10, 200, 10]);
    expect(list.pageLimit.current).toBe(100);
  });

  it('again makes pages half as long, even if there is no time for ten rows then', async () => {
    let requests = 0;
    const list = openList(({ limit = 0 }) => {
      requests += 1;
      if (limit > 10) throw notTriedAgain;
      if (requests > 2) throw new DeadlineReached('too late');
      return rowsOf(1);
    });

    await expect(list.fetch({ range: RANGE, offset: 0 })).rejects.toThrow(DeadlineReached);

    expect(limitsOf(list)).toEqual([200, 10, 200, 10]);
    expect(list.pageLimit.current).toBe(100);
  });

  // Otherwise the poll ends as failed, and the next tick begins with as long a range.
  it('in a way that is not tried again is left to the next tick if there is no time to ask for ten rows', async () => {
    const list = openList(({ offset = 0 }) => {
      throw offset > 0 ? notTriedAgain : new DeadlineReached('too late');
    });

    await expect(list.fetch({ range: RANGE, offset: 50 })).rejects.toThrow(DeadlineReached);
  });

  it.each([
    ['its own failure', undefined, notTriedAgain],
    ['the failure of ten rows', outage, outage],
  ])('is the cause of an end of the tick while ten rows are requested: %s', async (_, cause, expected) => {
    const list = openList(({ offset = 0 }) => {
      throw offset > 0 ? notTriedAgain : new DeadlineReached('too late', cause && { cause });
    });

    const error: unknown = await list.fetch({ range: RANGE, offset: 50 }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'DeadlineReached', message: 'too late' });
    expect((error as DeadlineReached).cause).toBe(expected);
  });

  it('of ten rows that is not the first is checked by a request for the first ten rows', async () => {
    const list = openList(({ offset = 0 }) => {
      if (offset > 0) throw notTriedAgain;
      return rowsOf(1);
    });

    await expect(list.fetch({ range: RANGE, offset: 50, limit: 10 })).rejects.toThrow(PageOutOfReach);

    expect(limitsOf(list)).toEqual([10, 10]);
  });

  it('in a way that is not tried again counts as out of reach only if the service answers a request for ten rows', async () => {
    const down = openList(() => {
      throw notTriedAgain;
    });
    const beyond = openList(({ offset = 0 }) => {
      if (offset > 0) throw notTriedAgain;
      return rowsOf(1);
    });

    await expect(down.fetch({ range: RANGE, offset: 50 })).rejects.toBe(notTriedAgain);
    await expect(beyond.fetch({ range: RANGE, offset: 50 })).rejects.toThrow(PageOutOfReach);
    expect(limitsOf(down)).toEqual([200, 10]);
    expect(limitsOf(beyond)).toEqual([200, 10]);
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
