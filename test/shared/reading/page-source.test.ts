import { describe, expect, it } from 'vitest';
import { createLookUp } from '../../../shared/reading/page-source.ts';
import { ValidationRejectedError } from '../../../shared/returns-service/errors.ts';
import { createService, openList, RANGE, refuseAbove } from './listing-service.ts';
import { anUnreadableRow, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

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
