import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { FIRST_WIDTH, MAX_WALK_PAGES } from '../../../shared/limits.ts';
import { type Page, PageOutOfReach } from '../../../shared/reading/page.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { walkOn } from '../../../shared/reading/walk.ts';
import type { WalkOptions } from '../../../shared/reading/walk-step.ts';
import type { ReadableRow } from '../../../shared/returns-service/parse-return-group.ts';
import type { StampsState } from '../../../shared/source/source-state.ts';
import { createModelList } from './model-list.ts';
import { STABLE_ORDERS } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { storeOf, WALK_START, walk } from './model-walk.ts';
import { aPage, aRow, createScriptedReader, idsFrom, rowsOf, type ScriptedReader } from './some-rows.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

/** A stamps’ clock that shows noon at noon. */
const STAMPS: StampsState = { ...UNKNOWN_STAMPS, newest: NOON, newestReceivedAt: NOON };
const CLOSED = NOON - 10 * SECOND;

function optionsOf(reader: ScriptedReader, stamps = STAMPS): WalkOptions {
  return { ...reader, stamps: () => stamps, now: () => NOON };
}

/** Groups of the last ten days, the latest first, in pages of four; a range may have 160 pages. */
function lately(groups: number) {
  const list = createModelList({ seed: 4, now: NOON, order: 'created desc', pages: clampedTo(4) });
  for (const made of idsFrom(1, groups)) {
    list.add({ createdAt: NOON - Math.floor((10 * DAY * made) / (groups + 1)), bytes: 20_000 });
  }
  return { list, reader: createWitness(list, { maxPages: 160 }).reader };
}

/** A list of one group per page whose first group changes with each request. */
function restlessStore(rows: readonly ReadableRow[]): ScriptedReader {
  return createScriptedReader(({ range, offset }, index) => {
    const { from = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
    const within = rows.filter(({ createdAt }) => createdAt >= from && createdAt < to);
    const first = (index * 7) % Math.max(within.length, 1);
    return aPage([...within.slice(first), ...within.slice(0, first)].slice(offset, offset + 1));
  });
}

describe('a walk over all groups', () => {
  it.each(STABLE_ORDERS)('shows all groups sorted by %s, in several ranges', async (order) => {
    const list = storeOf(600, 10, order);
    const witness = createWitness(list, { maxPages: 24 });

    const steps = await walk(list, witness);

    expect(witness.seen.size).toBe(600);
    expect(steps.length).toBeGreaterThan(2);
    expect(list.requests).toBeLessThanOrEqual(2 * (600 / 10));
  });

  it('needs few requests for a small store', async () => {
    const list = storeOf(300, 200, 'updated desc');
    const witness = createWitness(list);

    await walk(list, witness);

    expect(witness.seen.size).toBe(300);
    expect(list.requests).toBeLessThanOrEqual(10);
  });

  it('shows all groups if the order changes with each request', async () => {
    const list = storeOf(400, 50, 'random');
    const witness = createWitness(list, { maxPages: 160 });

    const steps = await walk(list, witness);

    expect(witness.seen.size).toBe(400);
    expect(steps.some(({ unstable }) => unstable !== undefined)).toBe(true);
  });

  it('covers all time, and each range begins at the end of the one before', async () => {
    const steps = await walk(storeOf(1_500, 10, 'id asc'));

    const covered = steps.flatMap((step) => (step.covered === undefined ? [] : [step.covered]));
    expect(covered.length).toBeGreaterThan(3);
    expect(covered.map(({ from }) => from)).toEqual([undefined, ...covered.slice(0, -1).map(({ to }) => to)]);
    expect(covered.at(-1)?.to).toBeUndefined();
  });

  it('shows groups with absurd stamps, and groups that are created meanwhile', async () => {
    const list = storeOf(500, 20, 'id asc');
    const absurd = [list.add({ createdAt: 5 }), list.add({ createdAt: NOON + 9_000 * DAY })];
    const witness = createWitness(list);
    let late: ReturnType<typeof list.add> | undefined;
    list.meanwhile = () => {
      if (list.requests === 10) late = list.add({ createdAt: list.now });
    };

    await walk(list, witness);

    expect(absurd.every((row) => witness.seen.has(row))).toBe(true);
    expect(late !== undefined && witness.seen.has(late)).toBe(true);
  });
});

describe('a walk’s next range', () => {
  it('begins at the beginning of time, and ends a little before the stamps’ clock', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await walkOn(WALK_START, optionsOf(reader));

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

    const step = await walkOn(WALK_START, optionsOf(reader, UNKNOWN_STAMPS));

    expect(step.covered?.to).toBe(NOON - 26 * HOUR);
  });

  it('is half as wide if it may have half of the pages', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: 10 * DAY };
    const reader = createScriptedReader(() => aPage([]), { maxPages: 80 });

    const step = await walkOn(position, optionsOf(reader));

    expect(step.covered).toEqual({ from: NOON - 100 * DAY, to: NOON - 95 * DAY });
  });

  it('is at least four seconds wide', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: 1 };
    const reader = createScriptedReader(() => aPage([]), { maxPages: 160 });

    const step = await walkOn(position, optionsOf(reader));

    expect(step.covered?.to).toBe(NOON - 100 * DAY + 4 * SECOND);
  });

  it('is the same range again, narrower, if that one could not be fitted', async () => {
    const crowd = idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON + DAY }));
    const reader = createScriptedReader(() => aPage(crowd), { maxPages: 160 });

    const step = await walkOn({ coveredThrough: NOON - 100 * DAY, rangeWidth: 50 * DAY }, optionsOf(reader));

    expect(step).toMatchObject({ covered: undefined, isDone: false });
    expect(step.position.coveredThrough).toBe(NOON - 100 * DAY);
    expect(step.position.rangeWidth).toBeLessThan(DAY);
    expect(step.position.rangeWidth).toBeGreaterThanOrEqual(4 * SECOND);
  });

  it('is not read, and narrower by 24 halvings next time, if even those were not enough', async () => {
    const crowd = idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON + DAY }));
    const reader = createScriptedReader(() => aPage(crowd), { maxPages: 160 });
    const coveredThrough = NOON - 10_050 * DAY;

    const step = await walkOn({ coveredThrough, rangeWidth: 10_000 * DAY }, optionsOf(reader));

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
  ])('ends among the first groups, however many empty years are before them: %s', async (_, position) => {
    const { list, reader } = lately(2_000);

    const step = await walkOn(position, { ...reader, stamps: () => STAMPS, now: () => NOON });

    expect(step.covered?.to).toBeGreaterThan(NOON - 10 * DAY);
    expect(list.requests).toBeLessThan(200);
  });

  it('has nearly its maximum of pages if groups were seen before it', async () => {
    const { list, reader } = lately(2_000);
    const position = { coveredThrough: NOON - 10 * DAY, rangeWidth: 10 * DAY };

    const step = await walkOn(position, { ...reader, stamps: () => STAMPS, now: () => NOON });

    const { to } = step.covered ?? {};
    const groups = list.rows.filter((row) => (list.current(row)?.createdAt ?? NOON) < (to ?? 0));
    expect(groups.length).toBeGreaterThan(0.7 * 160 * 3);
    expect(groups.length).toBeLessThan(160 * 3);
  });

  it('is stored with its width for all pages, whatever pages it may have now', async () => {
    const crowd = idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON + DAY }));
    const widthWith = async (maxPages: number, rangeWidth: number) => {
      const reader = createScriptedReader(() => aPage(crowd), { maxPages });
      const position = { coveredThrough: NOON - 100 * DAY, rangeWidth };
      return (await walkOn(position, optionsOf(reader))).position.rangeWidth;
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

    const step = await walkOn(
      { coveredThrough: NOON - 100 * DAY, rangeWidth: 8 * SECOND },
      optionsOf(reader),
    );

    expect(step).toMatchObject({ covered: undefined, isDone: false, unstable: expect.any(String) });
    expect(step.position).toEqual({ coveredThrough: NOON - 100 * DAY, rangeWidth: 4 * SECOND });
  });
});

describe('the newest groups', () => {
  const position = { coveredThrough: CLOSED - 5 * MINUTE, rangeWidth: DAY };

  it('are read open-ended, and end the walk', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await walkOn(position, optionsOf(reader));

    expect(reader.requests[0]?.range).toEqual({ created: { from: CLOSED - 5 * MINUTE, to: undefined } });
    expect(step).toEqual({
      position,
      covered: { from: CLOSED - 5 * MINUTE, to: undefined },
      isDone: true,
      unstable: undefined,
      hasNoOrder: false,
    });
    expect(reader.requests.length).toBe(1);
  });

  it('begin five minutes before the end of the closed time', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await walkOn({ ...position, coveredThrough: CLOSED - 5 * MINUTE - 1 }, optionsOf(reader));

    expect(step).toMatchObject({ covered: { to: CLOSED }, isDone: false });
  });

  it('are covered up to the end of the closed time if others always enter', async () => {
    const old = idsFrom(1, 15).map((id) => aRow(id, { createdAt: CLOSED - id * SECOND }));
    const enteredAt = (id: number) => NOON + (id - 112) * 0.7 * SECOND;
    const reader = createScriptedReader(({ range, offset }, index) => {
      const entered = idsFrom(100, 112 + index).map((id) => aRow(id, { createdAt: enteredAt(id) }));
      const { from = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
      const within = [...entered.toReversed(), ...old].filter(
        (row) => row.kind === 'readable' && row.createdAt >= from && row.createdAt < to,
      );
      return aPage(within.slice(offset, offset + 12));
    });

    const now = () => NOON + reader.requests.length * 0.7 * SECOND;
    const step = await walkOn(position, { ...optionsOf(reader), now });

    const last = reader.requests.at(-1)?.range.created?.from;
    expect(step).toMatchObject({
      covered: { from: CLOSED - 5 * MINUTE, to: last },
      isDone: true,
      unstable: 'a row already read moved back: others entered before it',
    });
    expect(reader.requests.length).toBeLessThan(16);
    expect(last).toBeGreaterThan(CLOSED);
    expect(reader.requests.at(-1)?.range).toEqual({ created: { from: last, to: undefined } });
    expect(reader.taken.flatMap(({ rows }) => rows)).toContainEqual(aRow(112, { createdAt: enteredAt(112) }));
  });

  it.each([
    ['after this very moment, as by another clock', (id: number) => NOON + id * 10 * SECOND],
    ['before it', (id: number) => CLOSED + id * SECOND],
    ['at its very moment', () => NOON],
  ])('are covered in pieces if none enter and all change places: created %s', async (_, createdAt) => {
    const reader = restlessStore(idsFrom(1, 5).map((id) => aRow(id, { createdAt: createdAt(id) })));

    const step = await walkOn({ ...position, coveredThrough: CLOSED }, optionsOf(reader));

    const ids = reader.taken.flatMap(({ rows: [row] }) => (row?.kind === 'readable' ? [row.group.id] : []));
    expect(step).toMatchObject({ covered: { from: CLOSED, to: undefined }, isDone: true });
    expect(new Set(ids).size).toBe(5);
    expect(reader.requests.every(({ range }) => (range.created?.from ?? 0) >= CLOSED)).toBe(true);
  });

  it('are covered up to the closed time of this moment if later groups entered meanwhile', async () => {
    const moment = NOON + MINUTE;
    const reader = restlessStore(idsFrom(1, 5).map((id) => aRow(id, { createdAt: moment })));

    const now = () => (reader.requests.length === 0 ? NOON : moment);
    const step = await walkOn({ ...position, coveredThrough: CLOSED }, { ...optionsOf(reader), now });

    expect(step).toMatchObject({ covered: { from: CLOSED, to: moment - 10 * SECOND }, isDone: true });
  });

  it.each([0, 1])(
    'are not followed for long if others come with each request, by a clock %i s behind',
    async (behind) => {
      const list = createModelList({
        seed: 3,
        now: NOON,
        order: 'created asc',
        pages: clampedTo(20),
        latency: SECOND / 3,
      });
      for (const id of idsFrom(1, 30)) list.add({ createdAt: NOON - id * SECOND });
      const witness = createWitness(list);
      list.meanwhile = () => {
        for (const late of [100, 200]) list.add({ createdAt: list.now - late });
      };
      const now = () => list.now - behind * SECOND;
      const stamps = () => ({ ...STAMPS, newest: now(), newestReceivedAt: now() });
      const position = { coveredThrough: NOON - MINUTE, rangeWidth: DAY };

      const step = await walkOn(position, { ...witness.reader, stamps, now });

      expect(step).toMatchObject({ covered: { from: NOON - MINUTE }, isDone: true });
      expect(list.requests).toBeLessThanOrEqual(10);
      expect(witness.missedOf({ created: step.covered })).toEqual([]);
    },
  );

  it('did not come meanwhile if their stamps were known before, by a clock that lags behind these', async () => {
    const list = createModelList({ seed: 3, now: NOON, order: 'created asc', pages: clampedTo(1) });
    for (const id of idsFrom(1, 4)) list.add({ createdAt: NOON - id * 10_000 });
    const witness = createWitness(list);
    const stamps = () => ({ ...STAMPS, newest: NOON, newestReceivedAt: NOON });

    const step = await walkOn(position, { ...witness.reader, stamps, now: () => NOON - SECOND / 2 });

    expect(step).toMatchObject({ covered: { to: undefined }, isDone: true });
    expect(witness.seen.size).toBe(4);
  });

  it('are covered to their open end if they seem new to a clock of stamps that was behind', async () => {
    const list = createModelList({
      ...{ seed: 3, now: NOON, order: 'updated desc', latency: SECOND, pages: clampedTo(1) },
    });
    list.add({ createdAt: NOON - HOUR });
    const witness = createWitness(list);
    list.meanwhile = () => {
      if (list.requests === 2) list.add({ createdAt: NOON });
    };
    let newest = NOON - 5 * HOUR;
    const take = async (page: Page) => {
      for (const row of page.rows) newest = Math.max(newest, row.createdAt ?? newest);
      await witness.reader.take(page);
    };
    const stamps = () => ({ ...STAMPS, newest, newestReceivedAt: list.now });
    const quiet = { coveredThrough: NOON - 5 * HOUR - MINUTE, rangeWidth: DAY };

    const step = await walkOn(quiet, { ...witness.reader, take, stamps, now: () => list.now });

    expect(step).toMatchObject({ covered: { to: undefined }, isDone: true });
    expect(witness.seen.size).toBe(2);
  });

  it('are covered by a later walk if none of them is closed yet', async () => {
    const from = NOON + 20 * SECOND;
    const now = () => NOON + 21 * SECOND + reader.requests.length * 0.1 * SECOND;
    const reader = createScriptedReader(({ range, offset }, index) => {
      const { from: start = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
      const rows = idsFrom(1, 20 + index).map((id) => aRow(id, { createdAt: from + id * 0.05 * SECOND }));
      const within = rows.filter(({ createdAt }) => createdAt >= start && createdAt < to);
      return aPage(within.toReversed().slice(offset, offset + 12));
    });

    const step = await walkOn({ ...position, coveredThrough: from }, { ...optionsOf(reader), now });

    expect(step).toMatchObject({ covered: undefined, isDone: true });
    const ranges = reader.requests.map(({ range }) => range);
    expect(ranges.filter(({ created }) => created?.from !== from || created.to !== undefined)).toEqual([]);
    expect(ranges.length).toBeLessThanOrEqual(4);
  });

  it('are covered to their open end if others entered only at first', async () => {
    const rows = idsFrom(1, 30).map((id) => aRow(id, { createdAt: CLOSED - id * SECOND }));
    const reader = createScriptedReader(({ range, offset }, index) => {
      const entered = aRow(31, { createdAt: NOON + SECOND });
      const { from = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
      const within = [...(index > 0 ? [entered] : []), ...rows].filter(
        ({ createdAt }) => createdAt >= from && createdAt < to,
      );
      return aPage(within.slice(offset, offset + 12));
    });

    const now = () => NOON + reader.requests.length * SECOND;
    const step = await walkOn(position, { ...optionsOf(reader), now });

    expect(step).toMatchObject({ covered: { from: CLOSED - 5 * MINUTE, to: undefined }, isDone: true });
    expect(step.unstable).toBeDefined();
  });

  it('are read in ranges if they are months old and more than a list shows', async () => {
    const rows = idsFrom(1, 30).map((id) => aRow(id, { createdAt: CLOSED - (31 - id) * 3 * DAY }));
    const reader = createScriptedReader(({ range, offset }) => {
      const { from = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
      if (offset >= 17) throw new PageOutOfReach('No page is available from row 17 on.');
      const within = rows.filter(({ createdAt }) => createdAt >= from && createdAt < to);
      return aPage(within.slice(offset, Math.min(offset + 8, 17)));
    });
    // The newest stamp by then is that of a quiet store's older half.
    const since = CLOSED - 100 * DAY;
    const stamps = () => {
      const newest = reader.requests.length === 0 ? since : NOON;
      return { ...STAMPS, newest, newestReceivedAt: NOON };
    };
    const options = { ...reader, stamps, now: () => NOON };
    const seen = new Set<number>();
    const take = async (page: Page) => {
      for (const row of page.rows) if (row.kind === 'readable') seen.add(row.group.id);
    };

    const first = await walkOn({ coveredThrough: since, rangeWidth: FIRST_WIDTH }, { ...options, take });
    let step = first;
    for (let steps = 0; !step.isDone && steps < 100; steps += 1)
      step = await walkOn(step.position, { ...options, take });

    expect(first).toMatchObject({ covered: undefined, isDone: false });
    expect(step).toMatchObject({ covered: { to: undefined }, isDone: true });
    expect(seen.size).toBe(30);
  });

  it('are left to the next walk if they were not proved in three tries', async () => {
    let id = 0;
    const reader = createScriptedReader(() => {
      id += 1;
      return aPage(rowsOf(id, id));
    });

    const step = await walkOn(position, { ...optionsOf(reader), maxPages: 10_000 });

    expect(step).toEqual({
      position,
      covered: undefined,
      isDone: true,
      unstable: expect.any(String),
      hasNoOrder: true,
    });
    expect(reader.requests.length).toBeGreaterThan(2_000);
    expect(reader.requests.length).toBeLessThan(3_100);
  });

  it('are left to the next walk after two tries without enough room', async () => {
    const reader = createScriptedReader((_, index) => aPage(rowsOf(index + 1, index + 1)));
    const options = { ...optionsOf(reader), maxPages: 4 };

    const once = await walkOn(position, options);
    const twice = await walkOn(once.position, options);

    expect(once).toMatchObject({ covered: undefined, isDone: false });
    expect(once.position.coveredThrough).toBe(position.coveredThrough);
    expect(twice).toMatchObject({ covered: undefined, isDone: true });
    expect(reader.requests.length).toBeLessThan(100);
  });

  it('may be many pages', async () => {
    const list = createModelList({ seed: 2, now: NOON, order: 'created asc', pages: clampedTo(10) });
    for (const id of idsFrom(1, 1_200)) list.add({ createdAt: CLOSED - 4 * MINUTE + id * 10_000 });
    const witness = createWitness(list, { maxPages: 20 });

    const step = await walkOn(position, { ...witness.reader, stamps: () => STAMPS, now: () => NOON });

    expect(step).toMatchObject({ isDone: true, covered: { to: undefined } });
    expect(witness.seen.size).toBe(1_200);
  });
});

it('a short page does not end a walk', async () => {
  const list = createModelList({ seed: 2, now: NOON, order: 'id asc', pages: clampedTo(4) });
  for (const id of idsFrom(1, 30)) list.add({ createdAt: NOON - id * DAY, bytes: 9 });
  const witness = createWitness(list, { trustsShortPages: true });

  await walk(list, witness);

  expect(witness.seen.size).toBe(30);
});

describe('the width of a walk’s next range', () => {
  const empty = () => createScriptedReader(() => aPage([]));

  it('doubles if nothing was seen, also with room for half the pages', async () => {
    const position = { coveredThrough: NOON - 100 * DAY, rangeWidth: DAY };

    const all = await walkOn(position, { ...optionsOf(empty()), maxPages: MAX_WALK_PAGES });
    const half = await walkOn(position, { ...optionsOf(empty()), maxPages: MAX_WALK_PAGES / 2 });

    expect(all.position).toEqual({ coveredThrough: NOON - 99 * DAY, rangeWidth: 2 * DAY });
    expect(half.position).toEqual({ coveredThrough: NOON - 99.5 * DAY, rangeWidth: 2 * DAY });
  });

  it('does not shrink if the range only reached the end of the closed time', async () => {
    const position = { coveredThrough: NOON - HOUR, rangeWidth: 10 * DAY };

    const step = await walkOn(position, optionsOf(empty()));

    expect(step.position).toEqual({ coveredThrough: CLOSED, rangeWidth: 10 * DAY });
  });
});
