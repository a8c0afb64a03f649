// The end of a list that no longer list confirms: both halves of its range are read.
import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import { confirmEnd } from '../../../shared/reading/confirm-end.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { everySoOften, keeperOf, RANGE, ROWS, readerOf, seen, UNSTAMPED } from './a-list-end.ts';
import { anUnreadableRow, aPage, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('the end of a list', () => {
  it('is confirmed by halves of the update time if rows were created at one time', async () => {
    const rows = ROWS.map((_, index) => aRow(index, { updatedAt: NOON - index * HOUR }));
    const reader = readerOf(keeperOf(), () => aPage([]));

    await confirmEnd(RANGE, seen(rows), reader);

    expect(reader.requests[0]?.range).toMatchObject({ created: RANGE.created, updated: { from: undefined } });
    expect(reader.requests.length).toBe(2);
  });

  it.each([
    { what: 'update, if creations are closer together', created: SECOND, updated: HOUR, axis: 'updated' },
    { what: 'creation, if updates are closer together', created: HOUR, updated: SECOND, axis: 'created' },
    { what: 'creation, if neither are close together', created: HOUR, updated: HOUR, axis: 'created' },
    {
      what: 'update, if creations come within three seconds of the cut on both sides',
      created: 6 * SECOND,
      updated: 6 * SECOND + 1,
      axis: 'updated',
    },
  ] as const)('is confirmed by halves of $what', async ({ created, updated, axis }) => {
    const rows = ROWS.map((_, index) =>
      aRow(index, { createdAt: NOON - (20 - index) * created, updatedAt: NOON - (20 - index) * updated }),
    );
    const reader = readerOf(keeperOf(), () => aPage([]));

    expect(await confirmEnd({}, seen(rows), reader)).toBe(true);
    expect(reader.requests.map(({ range }) => Object.keys(range))).toEqual([[axis], [axis]]);
  });

  it.each([
    { what: 'shows no stamps', rows: [...ROWS, anUnreadableRow(91)] },
    { what: 'is three seconds from the cut', rows: everySoOften(6 * SECOND + 1) },
    {
      what: 'shows no stamps and another is three seconds from the cut',
      rows: [...everySoOften(6 * SECOND + 1), anUnreadableRow(91)],
    },
  ])('is confirmed by halves that are read from their start if a row $what', async ({ rows }) => {
    const reader = readerOf(keeperOf(), () => aPage([]));

    expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
    expect(reader.requests.map(({ offset, limit }) => ({ offset, limit }))).toEqual([
      { offset: 0, limit: undefined },
      { offset: 0, limit: undefined },
    ]);
  });

  it('is confirmed by two requests if rows are more than three seconds from the cut', async () => {
    const reader = readerOf(keeperOf(), () => aPage([]));

    expect(await confirmEnd(RANGE, seen(everySoOften(6 * SECOND + 2)), reader)).toBe(true);
    expect(reader.requests.map(({ offset }) => offset)).toEqual([5, 15]);
  });

  describe('of rows with stamps so close together that either half may have them', () => {
    const rows = ROWS.map((_, index) => aRow(index, { createdAt: NOON - 20 * SECOND + index * SECOND }));
    const half = (count: number) => (request: PageRequest) =>
      aPage(rows.slice(0, count).slice(request.offset, request.offset + 5));

    it('is confirmed if each half ends before that place and shows only known rows', async () => {
      const reader = readerOf(keeperOf(), half(12));

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
    });

    it('is confirmed if a half shows other rows without both stamps', async () => {
      const reader = readerOf(keeperOf(), ({ offset }) => aPage(UNSTAMPED.slice(offset)));

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
    });

    describe('and shows as many rows,', () => {
      const isHalf = ({ range: { created } }: PageRequest) =>
        created?.from === RANGE.created.from || created?.to === RANGE.created.to;
      const others = (isThere: (request: PageRequest) => boolean) => (request: PageRequest) =>
        isHalf(request) ? half(20)(request) : aPage(isThere(request) ? [aRow(99)] : []);

      it('is accepted if there is no other group', async () => {
        const reader = readerOf(
          keeperOf(),
          others(() => false),
        );

        expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
        expect(reader.requests.slice(-3)).toEqual([
          { range: { created: { from: 0, to: undefined } }, offset: 20, limit: 1 },
          { range: { created: { from: undefined, to: NOON - 23 * SECOND } }, offset: 0, limit: 1 },
          { range: { created: { from: NOON + 2 * SECOND, to: undefined } }, offset: 0, limit: 1 },
        ]);
      });

      it('is accepted if a longer list shows more', async () => {
        const reader = readerOf(
          keeperOf(),
          others(({ offset }) => offset === 20),
        );

        expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
      });

      it.each(['from', 'to'] as const)('is rejected if other groups are beyond their %s', async (bound) => {
        const reader = readerOf(
          keeperOf(),
          others(({ range, offset }) => offset === 0 && range.created?.[bound] === undefined),
        );

        expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(false);
      });
    });

    it('is rejected if a half shows another row', async () => {
      const reader = readerOf(keeperOf(), ({ offset }) =>
        aPage([...rows.slice(0, 5), aRow(99)].slice(offset, offset + 5)),
      );

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(false);
    });
  });
});
