import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE } from '../../../shared/instant.ts';
import { identityOf, PageOutOfReach } from '../../../shared/reading/page.ts';
import { CLOSED } from './at-noon.ts';
import { stepAtNoon, WALK_START } from './model-walk.ts';
import { aPage, aRow, createScriptedReader, idsFrom, pageWithin } from './some-rows.ts';

describe('the last piece of a walk in pieces', () => {
  const from = CLOSED - HOUR;
  const piecesTo = (...cuts: readonly Instant[]) => ({
    cutsAfter: async () => cuts,
    onCutShort: () => false,
  });
  /** Groups of the last hour, in an order that changes with each request, in pages of twelve. */
  function restless(groups: number) {
    const rows = idsFrom(1, groups).map((id) => aRow(id, { createdAt: from + id * MINUTE }));
    return createScriptedReader((request, index) => {
      const first = (index * 5) % groups;
      return pageWithin(request, [...rows.slice(first), ...rows.slice(0, first)], 12);
    });
  }

  it('is proved as one page with three requests', async () => {
    const reader = restless(12);

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, { pieces: piecesTo() });

    const range = { created: { from, to: undefined } };
    expect(reader.requests).toEqual([0, 12, 0].map((offset) => ({ range, offset })));
    expect(step).toMatchObject({ covered: range.created, isDone: true, unstable: undefined });
  });

  it('is read on if it is more than a page', async () => {
    const reader = restless(30);

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, { pieces: piecesTo() });

    const ids = reader.taken.flatMap(({ rows }) => rows.map(identityOf));
    expect(new Set(ids).size).toBe(30);
    expect(step).toMatchObject({ covered: { from, to: undefined }, hasNoOrder: true });
  });

  // Seed 450828: the walk read the same piece in every tick, and the source stayed degraded.
  it('is cut again if the list ends before it', async () => {
    const rows = idsFrom(1, 50).map((id) => aRow(id, { createdAt: from + id * MINUTE }));
    const reader = createScriptedReader((request) => {
      if (request.offset >= 24) throw new PageOutOfReach('injected by the test');
      return pageWithin(request, rows, 12);
    });
    const cutShort: number[] = [];
    const onCutShort = (shown: number) => {
      cutShort.push(shown);
      return true;
    };

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, {
      pieces: { ...piecesTo(), onCutShort },
    });

    expect(cutShort).toEqual([12]);
    expect(step).toMatchObject({ position: { coveredThrough: from }, covered: undefined, isDone: false });
  });

  // Seed 1145669: in ticks of 17 requests, reading all its pages was cut off each time.
  it('is cut again as soon as it is more than a page', async () => {
    const reader = restless(30);
    const cutShort: number[] = [];
    const onCutShort = (shown: number) => cutShort.push(shown) > 0;

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, {
      pieces: { ...piecesTo(), onCutShort },
    });

    expect(cutShort).toEqual([12]);
    expect(step).toMatchObject({ position: { coveredThrough: from }, covered: undefined, isDone: false });
    const range = { created: { from, to: undefined } };
    expect(reader.requests).toEqual([0, 12, 0].map((offset) => ({ range, offset })));
  });

  it('is not cut again because groups come while it is read', async () => {
    const reader = createScriptedReader((request, index) => {
      const rows = idsFrom(1, 5 + index).map((id) => aRow(id, { createdAt: from + id * MINUTE }));
      return pageWithin(request, rows, 100);
    });
    const cutShort: number[] = [];
    const onCutShort = (shown: number) => cutShort.push(shown) > 0;

    await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, {
      pieces: { ...piecesTo(), onCutShort },
    });

    expect(cutShort).toEqual([]);
  });

  it.each([
    ['begins five minutes before the closed time', 0, CLOSED - 5 * MINUTE],
    ['has the groups of a piece that would end later', 1, undefined],
  ])('%s', async (_, later, to) => {
    const reader = createScriptedReader(() => aPage([]));
    const pieces = piecesTo(CLOSED - 5 * MINUTE + later);

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: DAY }, reader, { pieces });

    expect(reader.requests.map(({ range }) => range)).toEqual([{ created: { from, to } }]);
    expect(step.covered).toEqual({ from, to });
  });

  it('does not begin a walk: without known pieces its first range is all time', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await stepAtNoon(WALK_START, reader, { pieces: piecesTo() });

    expect(step.covered).toEqual({ from: undefined, to: CLOSED });
  });
});
