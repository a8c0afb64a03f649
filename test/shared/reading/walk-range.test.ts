import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { FIRST_WIDTH, MAX_WALK_PAGES } from '../../../shared/limits.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { CLOSED } from './at-noon.ts';
import { createModelList } from './model-list.ts';
import { clampedTo } from './model-pages.ts';
import { stepAtNoon, storeOf, WALK_START, walk } from './model-walk.ts';
import {
  aPage,
  aRow,
  createScriptedReader,
  idsFrom,
  pageWithin,
  restlessStore,
  rowsOf,
} from './some-rows.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

/** Groups of the last ten days, the latest first, in pages of four; a range may have 160 pages. */
function lately(groups: number) {
  const list = createModelList({ seed: 4, now: NOON, order: 'created desc', pages: clampedTo(4) });
  for (const made of idsFrom(1, groups)) {
    list.add({ createdAt: NOON - Math.floor((10 * DAY * made) / (groups + 1)), bytes: 20_000 });
  }
  return { list, reader: createWitness(list, { maxPages: 160 }).reader };
}

/** More rows than a narrow range can hold, all created in the same moment. */
const CROWD = aPage(idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON + DAY })));

describe('a walk’s next range', () => {
  it('begins at the beginning of time, and ends a little before the stamps’ clock', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await stepAtNoon(WALK_START, reader);

    expect(reader.requests[0]?.range).toEqual({ created: { from: undefined, to: CLOSED } });
    expect(step).toEqual({
      position: { coveredThrough: CLOSED, rangeWidth: FIRST_WIDTH },
      covered: { from: undefined, to: CLOSED },
      isDone: false,
      unstable: undefined,
      hasNoOrder: false,
    });
  });

  it('ends more than a day before now while the stamps’ clock is unknown', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await stepAtNoon(WALK_START, reader, { stamps: () => UNKNOWN_STAMPS });

    expect(step.covered?.to).toBe(NOON - 26 * HOUR);
  });

  it('is half as wide if it may have half of the pages', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: 10 * DAY };
    const reader = createScriptedReader(() => aPage([]), { maxPages: 80 });

    const step = await stepAtNoon(position, reader);

    expect(step.covered).toEqual({ from: NOON - 100 * DAY, to: NOON - 95 * DAY });
  });

  it('is at least four seconds wide', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: 1 };
    const reader = createScriptedReader(() => aPage([]), { maxPages: 160 });

    const step = await stepAtNoon(position, reader);

    expect(step.covered?.to).toBe(NOON - 100 * DAY + 4 * SECOND);
  });

  it('is the same range again, narrower, if that one could not be fitted', async () => {
    const reader = createScriptedReader(() => CROWD, { maxPages: 160 });

    const step = await stepAtNoon({ coveredThrough: NOON - 100 * DAY, rangeWidth: 50 * DAY }, reader);

    expect(step).toMatchObject({ covered: undefined, isDone: false });
    expect(step.position.coveredThrough).toBe(NOON - 100 * DAY);
    expect(step.position.rangeWidth).toBeLessThan(DAY);
    expect(step.position.rangeWidth).toBeGreaterThanOrEqual(4 * SECOND);
  });

  it('is not read if 24 halvings were not enough, and begins with the narrowed width next time', async () => {
    const reader = createScriptedReader(() => CROWD, { maxPages: 160 });
    const coveredThrough = NOON - 10_050 * DAY;

    const step = await stepAtNoon({ coveredThrough, rangeWidth: 10_000 * DAY }, reader);

    expect(step).toMatchObject({ covered: undefined, isDone: false });
    expect(step.position).toEqual({
      coveredThrough,
      rangeWidth: Math.floor((10_000 * DAY) / 2 ** 24),
    });
    expect(reader.requests.length).toBe(25);
  });

  it.each([
    ['the first', WALK_START],
    ['the first, narrowed', { coveredThrough: undefined, rangeWidth: FIRST_WIDTH - DAY }],
    ['a later one', { coveredThrough: NOON - 7_300 * DAY, rangeWidth: FIRST_WIDTH }],
  ])('ends among the first groups, also with many empty years before them: %s', async (_, position) => {
    const { list, reader } = lately(2_000);

    const step = await stepAtNoon(position, reader);

    expect(step.covered?.to).toBeGreaterThan(NOON - 10 * DAY);
    expect(list.requests).toBeLessThan(200);
  });

  it('has nearly its maximum of pages if groups were seen before it', async () => {
    const { list, reader } = lately(2_000);
    const position = { coveredThrough: NOON - 10 * DAY, rangeWidth: 10 * DAY };

    const step = await stepAtNoon(position, reader);

    const { to } = step.covered ?? {};
    const groups = list.rows.filter((row) => (list.current(row)?.createdAt ?? NOON) < (to ?? 0));
    expect(groups.length).toBeGreaterThan(0.7 * 160 * 3);
    expect(groups.length).toBeLessThan(160 * 3);
  });

  it('is stored with its width for all pages, also if it may have fewer pages now', async () => {
    const widthWith = async (maxPages: number, rangeWidth: number) => {
      const reader = createScriptedReader(() => CROWD, { maxPages });
      const position = { coveredThrough: NOON - 100 * DAY, rangeWidth };
      return (await stepAtNoon(position, reader)).position.rangeWidth;
    };

    const all = await widthWith(160, 25 * DAY);
    const half = await widthWith(80, 50 * DAY);

    expect(half / all).toBeCloseTo(2, 5);
  });

  it('has a width that follows from the density of groups at the end of the one before', async () => {
    const list = storeOf(3_000, 20, 'created asc');
    const witness = createWitness(list, { maxPages: 40 });

    const steps = await walk(list, witness);

    const widths = steps.slice(1, -2).map(({ position }) => position.rangeWidth);
    expect(Math.max(...widths)).toBeLessThan(3_000 * DAY);
    expect(Math.min(...widths)).toBeGreaterThan(DAY);
  });

  it('is tried again, half as wide, if it was not proved', async () => {
    const shown = [rowsOf(...idsFrom(1, 12)), [], rowsOf(...idsFrom(2, 13))];
    const reader = createScriptedReader(
      (_, index) => aPage(index < 2 ? (shown[index] ?? []) : rowsOf(index, index)),
      { maxPages: 160 },
    );

    const step = await stepAtNoon({ coveredThrough: NOON - 100 * DAY, rangeWidth: 8 * SECOND }, reader);

    expect(step).toMatchObject({ covered: undefined, isDone: false, unstable: expect.any(String) });
    expect(step.position).toEqual({ coveredThrough: NOON - 100 * DAY, rangeWidth: 4 * SECOND });
  });
});

describe('the width of a walk’s next range', () => {
  const empty = () => createScriptedReader(() => aPage([]));

  it.each([
    ['four times all time', 20, 2 * FIRST_WIDTH, 4 * FIRST_WIDTH],
    ['nearly eight times all time, its maximum', 4, 6 * FIRST_WIDTH, 8 * FIRST_WIDTH - 1],
    ['as before if twice its width is all time', 40, 2 * FIRST_WIDTH, 2 * FIRST_WIDTH],
    ['other than exactly all time, which ignores the room', 160, 0.75 * FIRST_WIDTH, FIRST_WIDTH + 1],
  ])('without groups may become %s', async (_, maxPages, rangeWidth, next) => {
    const position = { coveredThrough: NOON - 0.9 * FIRST_WIDTH, rangeWidth };

    const step = await stepAtNoon(position, empty(), { maxPages });

    expect(step).toMatchObject({ covered: { from: position.coveredThrough }, isDone: false });
    expect(step.position.rangeWidth).toBe(next);
  });

  it('is at most all time where groups show their density', async () => {
    const from = NOON - 400 * DAY;
    const rows = idsFrom(1, 12).map((id) => aRow(id, { createdAt: from + id * 10 * DAY }));
    const reader = createScriptedReader((request) => pageWithin(request, rows, 12), { maxPages: 160 });

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: 160 * DAY }, reader);

    expect(step.position).toEqual({ coveredThrough: from + 160 * DAY, rangeWidth: FIRST_WIDTH });
  });

  it('follows from the proved part of a range that was not proved to its end', async () => {
    const from = NOON - 100 * DAY;
    const rows = [40, 50, 60].map((day) => aRow(day, { createdAt: from + day * DAY }));
    const reader = restlessStore(rows);
    const hasRoom = () => reader.requests.length < 8;

    const step = await stepAtNoon({ coveredThrough: from, rangeWidth: 90 * DAY }, reader, {
      maxPages: 160,
      hasRoom,
    });

    expect(step.covered).toEqual({ from, to: from + 40 * DAY });
    expect(step.position.rangeWidth).toBe(80 * DAY);
  });

  it('doubles if nothing was seen, also with room for half the pages', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: DAY };

    const all = await stepAtNoon(position, empty(), { maxPages: MAX_WALK_PAGES });
    const half = await stepAtNoon(position, empty(), { maxPages: MAX_WALK_PAGES / 2 });

    expect(all.position).toEqual({ coveredThrough: NOON - 99 * DAY, rangeWidth: 2 * DAY });
    expect(half.position).toEqual({ coveredThrough: NOON - 99.5 * DAY, rangeWidth: 2 * DAY });
  });

  it('does not shrink if the range only reached the end of the closed time', async () => {
    const position = { coveredThrough: NOON - HOUR, rangeWidth: 10 * DAY };

    const step = await stepAtNoon(position, empty());

    expect(step.position).toEqual({ coveredThrough: CLOSED, rangeWidth: 10 * DAY });
  });
});
