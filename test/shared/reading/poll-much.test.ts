import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { poll } from '../../../shared/reading/poll.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { CLOSED, LOOKBACK, nothing, optionsOf, run, SETTLED, STAMPS, tailFirst } from './polls.ts';
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

  it('closes nothing that ends later than 26 hours ago while the stamps’ clock is not known', async () => {
    const reader = nothing();

    const result = await run(reader, {
      ...much,
      settledThrough: NOON - 30 * HOUR,
      stamps: () => UNKNOWN_STAMPS,
    });

    expect(reader.requests.at(-1)?.range.updated).toEqual({ from: NOON - 30 * HOUR, to: NOON - 26 * HOUR });
    expect(result).toMatchObject({ isComplete: true, settledThrough: NOON - 30 * HOUR });
  });

  it('closes what ends 26 hours ago though the stamps’ clock stands still', async () => {
    const reader = nothing();
    const stamps = { ...STAMPS, newest: NOON - 90 * HOUR };

    await run(reader, { ...much, settledThrough: NOON - 30 * HOUR, stamps: () => stamps });

    expect(reader.requests.at(-1)?.range.updated?.to).toBe(NOON - 26 * HOUR);
  });

  it('asks for no tail before what is settled', async () => {
    const reader = nothing();

    await run(reader, { ...much, settledThrough: NOON - SECOND });

    expect(reader.requests.map(({ range }) => range.updated)).toEqual([
      { from: NOON - SECOND, to: NOON + HOUR },
    ]);
  });

  it('takes the tail’s readings, which settle nothing', async () => {
    const news = [aRow(1, { updatedAt: NOON - SECOND })];
    const reader = createScriptedReader(({ range }) => {
      if (range.updated?.to === CLOSED) throw new Error('says the test');
      return aPage(news, { bytes: 900 });
    });
    const { options, covered } = optionsOf(reader, much);

    await expect(poll(options)).rejects.toThrow('says the test');

    expect(reader.taken.map(({ rows }) => rows)).toEqual([news]);
    expect(covered).toEqual([]);
  });

  it('reads the tail on for as long as it shows news, up to twenty pages', async () => {
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

  it('reads nothing behind a short page of the tail', async () => {
    const reader = createScriptedReader(({ range }) =>
      aPage(range.updated?.to === CLOSED ? [] : rowsOf(1, 2, 3), { bytes: 900 }),
    );

    await run(reader, much);

    expect(reader.requests.map(({ offset }) => offset)).toEqual([0, 0]);
  });

  it('is no longer little with more than five requests', async () => {
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

  it('follow each other, and each that was covered is told', async () => {
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

  it('are the wider the fewer pages they had', async () => {
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

  it('that have too many pages are half as wide next time, and what is settled stays', async () => {
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

  it('are left to the next poll when the time is over, but for the first', async () => {
    const asked: number[] = [];
    const reader = nothing();

    const result = await run(reader, {
      ...wide,
      rangeWidth: HOUR,
      hasTimeFor: (pages) => {
        asked.push(pages);
        return asked.length <= 2;
      },
    });

    expect(asked).toEqual([0, 1, 1]);
    expect(result).toMatchObject({ settledThrough: NOON - 5 * HOUR, isComplete: false });
  });

  it('behind one that stays unproved are read, and settle nothing', async () => {
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

  it('are none where all is settled but the tail', async () => {
    const reader = tailFirst([]);

    const result = await run(reader, { expectsLittle: false, settledThrough: CLOSED });

    expect(reader.requests.length).toBe(1);
    expect(result).toMatchObject({ settledThrough: CLOSED, isComplete: true });
  });

  it('settle as far as they were saved', async () => {
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
