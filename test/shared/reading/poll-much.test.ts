import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { PageOutOfReach, type PageRequest } from '../../../shared/reading/page.ts';
import { poll } from '../../../shared/reading/poll.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { CLOSED, STAMPS } from './at-noon.ts';
import { LOOKBACK, nothing, optionsOf, run, SETTLED, tailFirst } from './polls.ts';
import { aPage, aRow, createScriptedReader, idsFrom, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a poll that expects much', () => {
  const much = { expectsLittle: false };

  it('reads the open tail first, then up to ten seconds before the stamps’ clock', async () => {
    const reader = nothing();

    const result = await run(reader, much);

    expect(reader.requests.map(({ range }) => range.updated)).toEqual([
      { from: CLOSED, to: NOON + HOUR },
      { from: SETTLED, to: CLOSED },
    ]);
    expect(result).toMatchObject({ settledThrough: NOON - LOOKBACK, isComplete: true, wasLittle: true });
  });

  it('closes only ranges that end 26 hours ago while the stamps’ clock is unknown', async () => {
    const reader = nothing();

    const result = await run(reader, {
      ...much,
      settledThrough: NOON - 30 * HOUR,
      stamps: () => UNKNOWN_STAMPS,
    });

    expect(reader.requests.at(-1)?.range.updated).toEqual({ from: NOON - 30 * HOUR, to: NOON - 26 * HOUR });
    expect(result).toMatchObject({ isComplete: true, settledThrough: NOON - 30 * HOUR });
  });

  it('closes ranges that end 26 hours ago even if the stamps’ clock stands still', async () => {
    const reader = nothing();
    const stamps = { ...STAMPS, newest: NOON - 90 * HOUR };

    await run(reader, { ...much, settledThrough: NOON - 30 * HOUR, stamps: () => stamps });

    expect(reader.requests.at(-1)?.range.updated?.to).toBe(NOON - 26 * HOUR);
  });

  it('reads no tail before the settled time', async () => {
    const reader = nothing();

    await run(reader, { ...much, settledThrough: NOON - SECOND });

    expect(reader.requests.map(({ range }) => range.updated)).toEqual([
      { from: NOON - SECOND, to: NOON + HOUR },
    ]);
  });

  it('takes the readings of the tail, which settle nothing', async () => {
    const news = [aRow(1, { updatedAt: NOON - SECOND })];
    const reader = createScriptedReader(({ range }) => {
      if (range.updated?.to === CLOSED) throw new Error('injected by the test');
      return aPage(news, { bytes: 900 });
    });
    const { options, covered } = optionsOf(reader, much);

    await expect(poll(options)).rejects.toThrow('injected by the test');

    expect(reader.taken.map(({ rows }) => rows)).toEqual([news]);
    expect(covered).toEqual([]);
  });

  it('reads the tail as long as it shows news, up to twenty pages', async () => {
    const tail = createScriptedReader(({ range, offset }) =>
      aPage(range.updated?.to === CLOSED ? [] : rowsOf(...idsFrom(offset + 1, offset + 12))),
    );
    const repeating = createScriptedReader(({ range }) =>
      aPage(range.updated?.to === CLOSED ? [] : rowsOf(...idsFrom(1, 12))),
    );

    await run(tail, much);
    await run(repeating, much);

    expect(tail.requests.map(({ offset }) => offset)).toEqual([
      ...idsFrom(0, 19).map((page) => page * 12),
      0,
    ]);
    expect(repeating.requests.map(({ offset }) => offset)).toEqual([0, 12, 0]);
  });

  it('reads the tail again when news are due before a page of a closed range', async () => {
    const reader = nothing();
    const isDue = [true, false];

    await run(reader, { ...much, areNewsDue: () => isDue.shift() ?? false });

    expect(reader.requests.map(({ range }) => range.updated?.to)).toEqual([NOON + HOUR, NOON + HOUR, CLOSED]);
  });

  it('leaves covering half as many requests as news took if news are always due', async () => {
    const reader = createScriptedReader(({ range, offset }) => {
      if (range.updated?.to === CLOSED) return aPage(rowsOf(...idsFrom(offset + 1, offset + 20)));
      return aPage(offset < 24 ? rowsOf(...idsFrom(offset + 1, offset + 12)) : []);
    });

    await run(reader, { ...much, areNewsDue: () => true, maxPages: 9 });

    const kinds = reader.requests.map(({ range }) => (range.updated?.to === CLOSED ? 'covering' : 'news'));
    const [first, ...others] = kinds.join(' ').split('news news news').slice(1);
    expect(first).toBe(' ');
    expect(others.slice(0, -1).every((each) => each === ' covering covering ')).toBe(true);
  });

  it('reads news that came due while the requests before a proof’s request waited', async () => {
    const reader = nothing();
    let isDue = false;

    await run(reader, {
      ...much,
      areNewsDue: () => isDue,
      async fetchToCover(request, readNewsIfDue) {
        isDue = true;
        await readNewsIfDue();
        await readNewsIfDue();
        return reader.fetch(request);
      },
    });

    expect(reader.requests.map(({ range }) => range.updated?.to)).toEqual([NOON + HOUR, NOON + HOUR, CLOSED]);
  });

  it('requests closed ranges with a purpose that gives news priority', async () => {
    const reader = nothing();
    const toCover = nothing();

    await run(reader, { ...much, fetchToCover: toCover.fetch });

    expect([reader, toCover].map(({ requests }) => requests.map(({ range }) => range.updated?.to))).toEqual([
      [NOON + HOUR],
      [CLOSED],
    ]);
  });

  it('covers nothing after the news if a walk over all groups settles the changes', async () => {
    const reader = nothing();

    const result = await run(reader, { ...much, isByWalk: () => true });

    expect(reader.requests.map(({ range }) => range.updated?.to)).toEqual([NOON + HOUR]);
    expect(result).toMatchObject({ settledThrough: SETTLED, isComplete: false, wasLittle: true });
  });

  it('stops the tail at a short page', async () => {
    const reader = createScriptedReader(({ range }) =>
      aPage(range.updated?.to === CLOSED ? [] : rowsOf(1, 2, 3), { bytes: 900 }),
    );

    await run(reader, much);

    expect(reader.requests.map(({ offset }) => offset)).toEqual([0, 0]);
  });

  it('found little only with at most five requests', async () => {
    const withTail = (pages: number) =>
      createScriptedReader(({ range, offset }) =>
        aPage(
          range.updated?.to === CLOSED || offset >= pages * 12 ? [] : rowsOf(...idsFrom(offset, offset + 11)),
        ),
      );

    const five = await run(withTail(3), much);
    const six = await run(withTail(4), much);

    expect([five.wasLittle, six.wasLittle]).toEqual([true, false]);
  });
});

describe('closed ranges', () => {
  const wide = { expectsLittle: false, settledThrough: NOON - 10 * HOUR };

  it('follow each other, and each covered range is reported', async () => {
    const reader = nothing();
    const { options, covered } = optionsOf(reader, { ...wide, rangeWidth: HOUR });

    const result = await poll(options);

    const from = NOON - 10 * HOUR;
    expect(reader.requests.slice(1).map(({ range }) => range.updated)).toEqual([
      { from, to: from + HOUR },
      { from: from + HOUR, to: from + 5 * HOUR },
      { from: from + 5 * HOUR, to: CLOSED },
    ]);
    expect(covered).toEqual([
      { settledThrough: from + HOUR, rangeWidth: 4 * HOUR },
      { settledThrough: from + 5 * HOUR, rangeWidth: 16 * HOUR },
      { settledThrough: NOON - LOOKBACK, rangeWidth: 16 * HOUR },
    ]);
    expect(result).toMatchObject({
      settledThrough: NOON - LOOKBACK,
      isComplete: true,
      rangeWidth: 16 * HOUR,
    });
  });

  it('grow to forty days at most', async () => {
    const result = await run(nothing(), { ...wide, settledThrough: NOON - 90 * DAY, rangeWidth: 20 * DAY });

    expect(result.rangeWidth).toBe(40 * DAY);
  });

  it('get wider the fewer pages they had', async () => {
    const ids = idsFrom(1, 200);
    const from = NOON - 10 * HOUR;
    const reader = createScriptedReader(({ range, offset }) =>
      aPage(range.updated?.to === from + HOUR ? rowsOf(...ids.slice(offset, offset + 12)) : []),
    );

    await run(reader, { ...wide, rangeWidth: HOUR });

    const first = reader.requests.filter(({ range }) => range.updated?.to === from + HOUR).length;
    const second = reader.requests.find(({ range }) => range.updated?.from === from + HOUR)?.range.updated;
    expect((second?.to ?? 0) - (from + HOUR)).toBe(Math.floor((HOUR * 40) / first));
  });

  it('with too many pages are half as wide next time, and the settled time stays', async () => {
    const reader = createScriptedReader(
      ({ range, offset }) =>
        aPage(range.updated?.from === CLOSED ? [] : rowsOf(...idsFrom(offset + 1, offset + 12))),
      { maxPages: 8 },
    );
    const { options, covered } = optionsOf(reader, { ...wide, rangeWidth: HOUR });

    const result = await poll(options);

    expect(result).toMatchObject({
      settledThrough: NOON - 10 * HOUR,
      isComplete: false,
      rangeWidth: HOUR / 2,
    });
    expect(reader.requests.length).toBe(1 + 9);
    expect(covered).toEqual([]);
  });

  it.each([
    { maxPages: 8, tried: [4 * HOUR, 4 * HOUR, 2 * HOUR, 2 * HOUR, HOUR], outcome: 'at once' },
    { maxPages: 7, tried: [4 * HOUR, 4 * HOUR], outcome: 'in the next poll' },
  ])('that few requests showed to be too long are halved $outcome', async ({ maxPages, tried }) => {
    const from = NOON - 4 * HOUR - 10 * SECOND;
    const widthOf = ({ range: { updated } }: PageRequest) => (updated?.to ?? NOON) - (updated?.from ?? from);
    const reader = createScriptedReader(
      (request) => {
        if (request.range.updated?.from !== from || widthOf(request) <= HOUR) return aPage([]);
        if (request.offset > 0) throw new PageOutOfReach('injected by the test');
        return aPage(rowsOf(...idsFrom(1, 12)));
      },
      { maxPages },
    );

    await run(reader, { ...wide, settledThrough: from });

    const [, ...covering] = reader.requests;
    expect(covering.filter(({ range }) => range.updated?.from === from).map(widthOf)).toEqual(tried);
  });

  it('are left to the next poll when the time is over, except the first', async () => {
    const pageCounts: number[] = [];
    const reader = nothing();

    const result = await run(reader, {
      ...wide,
      rangeWidth: HOUR,
      hasTimeFor: (pages) => {
        pageCounts.push(pages);
        return pageCounts.length <= 2;
      },
    });

    expect(pageCounts).toEqual([0, 1, 1]);
    expect(result).toMatchObject({ settledThrough: NOON - 5 * HOUR, isComplete: false });
  });

  it('behind an unproved range are read, and settle nothing', async () => {
    const from = NOON - 10 * HOUR;
    let id = 0;
    const reader = createScriptedReader(({ range }) => {
      const { from: start = 0, to: end = 0 } = range.updated ?? {};
      id += 1;
      return aPage(start >= from && end <= from + 8 * SECOND ? rowsOf(id, id) : []);
    });
    const { options, covered } = optionsOf(reader, { ...wide, rangeWidth: 8 * SECOND });

    const result = await poll(options);

    expect(result.settledThrough).toBe(from);
    expect(result.isComplete).toBe(false);
    expect(result.unstable).toBe('a row came twice in one page');
    expect(covered).toEqual([]);
    expect(reader.requests.at(-1)?.range.updated?.to).toBe(CLOSED);
  });

  it('are not read if only the tail is unsettled', async () => {
    const reader = tailFirst([]);

    const result = await run(reader, { expectsLittle: false, settledThrough: CLOSED });

    expect(reader.requests.length).toBe(1);
    expect(result).toMatchObject({ settledThrough: CLOSED, isComplete: true });
  });

  it('settle up to the first unsaved row', async () => {
    let unsavedFrom: number | undefined;
    const from = NOON - 10 * HOUR;
    const reader = createScriptedReader(({ range }) => {
      if (range.updated?.from === from + HOUR) unsavedFrom = from + 2 * HOUR;
      return aPage([]);
    });
    const { options, covered } = optionsOf(reader, {
      ...wide,
      rangeWidth: HOUR,
      unsavedFrom: () => unsavedFrom,
    });

    const result = await poll(options);

    expect(covered.map(({ settledThrough }) => settledThrough)).toEqual([
      from + HOUR,
      from + 2 * HOUR,
      from + 2 * HOUR,
    ]);
    expect(result).toMatchObject({ settledThrough: from + 2 * HOUR, isComplete: false });
  });
});
