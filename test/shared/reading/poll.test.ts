import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { WIDEST_RANGE } from '../../../shared/reading/poll.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { CLOSED, STAMPS } from './at-noon.ts';
import { LOOKBACK, nothing, run, SETTLED } from './polls.ts';
import { aPage, createScriptedReader, idsFrom, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a poll that expects little', () => {
  it('is one request if nothing changed, from the settled time to an hour ahead', async () => {
    const reader = nothing();

    const result = await run(reader);

    expect(reader.requests).toEqual([{ range: { updated: { from: SETTLED, to: NOON + HOUR } }, offset: 0 }]);
    expect(result).toEqual({
      settledThrough: NOON - LOOKBACK,
      isComplete: true,
      wasLittle: true,
      rangeWidth: WIDEST_RANGE,
      unstable: undefined,
    });
  });

  it('is one request if little changed and short pages are trusted', async () => {
    const reader = createScriptedReader(() => aPage(rowsOf(1, 2), { bytes: 900 }), {
      trustsShortPages: true,
    });

    const result = await run(reader);

    expect(reader.requests.length).toBe(1);
    expect(result).toMatchObject({ isComplete: true, settledThrough: NOON - LOOKBACK });
  });

  it.each([
    ['three requests', { rows: 2, bytes: 900 }, 3, true],
    ['four requests', { rows: 12, bytes: 100_000 }, 4, false],
  ])(
    'counts as a poll that found little with at most three: %s',
    async (_, { rows, bytes }, sent, isLittle) => {
      const list = rowsOf(...idsFrom(1, rows));
      const reader = createScriptedReader(({ offset }) => aPage(list.slice(offset), { bytes }));

      const result = await run(reader);

      expect(reader.requests.length).toBe(sent);
      expect(result).toMatchObject({ isComplete: true, wasLittle: isLittle });
    },
  );

  it('continues with closed ranges if it found more than a few pages', async () => {
    const ids = idsFrom(1, 100);
    const reader = createScriptedReader(({ offset }) => aPage(rowsOf(...ids.slice(offset, offset + 12))));

    const result = await run(reader);

    const closed = reader.requests.filter(({ range }) => range.updated?.to === CLOSED);
    expect(closed.length).toBeGreaterThan(5);
    expect(result).toMatchObject({ isComplete: true, wasLittle: false, settledThrough: NOON - LOOKBACK });
  });

  it('counts as a poll that found much if its first read failed, even if it then took few requests', async () => {
    const reader = createScriptedReader(({ range, offset }, index) => {
      if (range.updated?.to === CLOSED || offset > 0) return aPage([]);
      return aPage(index === 0 ? rowsOf(...idsFrom(1, 12)) : rowsOf(50, 51), { bytes: 900 });
    });

    const inVain = await run(reader);
    const atOnce = await run(reader, { expectsLittle: false });

    expect([inVain.isComplete, inVain.wasLittle]).toEqual([true, false]);
    expect(atOnce.wasLittle).toBe(true);
  });

  it('reports why the order is unstable, even if one page held all rows', async () => {
    const page = rowsOf(...idsFrom(1, 12));
    const reader = createScriptedReader(({ offset }) =>
      aPage(offset === 0 ? page : offset < 12 ? [...page].reverse().slice(0, 12 - offset) : []),
    );

    const result = await run(reader);

    expect(result).toMatchObject({ isComplete: true, unstable: 'rows already read came in another order' });
  });

  it('is also the first poll of a source with an unknown time', async () => {
    const reader = nothing();

    await run(reader, { expectsLittle: false, knowsTime: () => false });

    expect(reader.requests.length).toBe(1);
  });

  it('requests the list again if its own time was behind before the first answer', async () => {
    const behind = NOON - 9 * DAY;
    let isAnswered = false;
    const reader = createScriptedReader(() => {
      isAnswered = true;
      return aPage([]);
    });

    const result = await run(reader, {
      settledThrough: behind - DAY,
      now: () => (isAnswered ? NOON : behind),
      knowsTime: () => isAnswered,
    });

    expect(reader.requests.length).toBeGreaterThan(1);
    expect(result.settledThrough).toBeGreaterThan(NOON - HOUR);
  });
});

describe('the settled time', () => {
  it('never moves back', async () => {
    const settledThrough = NOON - MINUTE;

    const result = await run(nothing(), { settledThrough });

    expect(result.settledThrough).toBe(settledThrough);
  });

  it('stays while the stamps’ clock is unknown', async () => {
    const result = await run(nothing(), { stamps: () => UNKNOWN_STAMPS });

    expect(result).toMatchObject({ settledThrough: SETTLED, isComplete: true });
  });

  it('is the lookback before the request of the page', async () => {
    const reader = createScriptedReader(() => ({
      ...aPage([]),
      sentAt: NOON - MINUTE,
      receivedAt: NOON + 9,
    }));

    const result = await run(reader);

    expect(result.settledThrough).toBe(NOON - MINUTE - LOOKBACK);
  });

  // Seed 640950: a clock that was ahead at the start of a poll made the poll settle a minute of the future.
  it.each([
    ['stays where the clock turns out to have been ahead as the ranges were chosen', MINUTE, SETTLED],
    ['moves where the clock is set back by the second that ranges share', SECOND, NOON + SECOND - LOOKBACK],
  ])('%s', async (_, ahead, settled) => {
    let isAhead = true;
    const reader = createScriptedReader(() => {
      isAhead = false;
      return aPage([]);
    });

    const result = await run(reader, { expectsLittle: false, now: () => (isAhead ? NOON + ahead : NOON) });

    expect(result.settledThrough).toBe(settled);
  });

  it('is an hour earlier if stamps may fall back with summer time', async () => {
    const stamps = { ...STAMPS, zoned: false, newest: NOON + 2 * HOUR };

    const result = await run(nothing(), { stamps: () => stamps });

    expect(result.settledThrough).toBe(NOON + 2 * HOUR - LOOKBACK - HOUR);
  });

  it('is held back by unsaved rows', async () => {
    const unsavedFrom = NOON - 9 * MINUTE;

    const result = await run(nothing(), { unsavedFrom: () => unsavedFrom });

    expect(result).toMatchObject({ settledThrough: unsavedFrom, isComplete: false });
  });

  it('is not held back by later unsaved rows', async () => {
    const result = await run(nothing(), { unsavedFrom: () => NOON - MINUTE });

    expect(result).toMatchObject({ settledThrough: NOON - LOOKBACK, isComplete: false });
  });

  it('does not move back to older unsaved rows', async () => {
    const result = await run(nothing(), { unsavedFrom: () => SETTLED - HOUR });

    expect(result).toMatchObject({ settledThrough: SETTLED, isComplete: false });
  });
});
