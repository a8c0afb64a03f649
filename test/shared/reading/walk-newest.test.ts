import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { FIRST_WIDTH } from '../../../shared/limits.ts';
import { type Page, PageOutOfReach } from '../../../shared/reading/page.ts';
import { CLOSED, STAMPS } from './at-noon.ts';
import { createModelList } from './model-list.ts';
import { clampedTo } from './model-pages.ts';
import { stepAtNoon } from './model-walk.ts';
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

describe('the newest groups', () => {
  const position = { coveredThrough: CLOSED - 5 * MINUTE, rangeWidth: DAY };

  it('are read open-ended, and end the walk', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const step = await stepAtNoon(position, reader);

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

    const step = await stepAtNoon({ ...position, coveredThrough: CLOSED - 5 * MINUTE - 1 }, reader);

    expect(step).toMatchObject({ covered: { to: CLOSED }, isDone: false });
  });

  it('are covered up to the end of the closed time if new groups keep entering', async () => {
    const old = idsFrom(1, 15).map((id) => aRow(id, { createdAt: CLOSED - id * SECOND }));
    const enteredAt = (id: number) => NOON + (id - 112) * 0.7 * SECOND;
    const reader = createScriptedReader((request, index) => {
      const entered = idsFrom(100, 112 + index).map((id) => aRow(id, { createdAt: enteredAt(id) }));
      return pageWithin(request, [...entered.toReversed(), ...old], 12);
    });

    const now = () => NOON + reader.requests.length * 0.7 * SECOND;
    const step = await stepAtNoon(position, reader, { now });

    const last = reader.requests.at(-1)?.range.created?.from;
    expect(step).toMatchObject({
      covered: { from: CLOSED - 5 * MINUTE, to: last },
      isDone: true,
      unstable: 'a row already read moved back: others entered before it',
      hasNoOrder: false,
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

    const step = await stepAtNoon({ ...position, coveredThrough: CLOSED }, reader);

    const ids = reader.taken.flatMap(({ rows: [row] }) => (row?.kind === 'readable' ? [row.group.id] : []));
    expect(step).toMatchObject({ covered: { from: CLOSED, to: undefined }, isDone: true });
    expect(new Set(ids).size).toBe(5);
    expect(reader.requests.every(({ range }) => (range.created?.from ?? 0) >= CLOSED)).toBe(true);
  });

  it.each([
    ['count as entered meanwhile up to two seconds after this moment', 0, undefined],
    ['do not later than that', 1, { from: CLOSED, to: undefined }],
  ])('%s', async (_, later, covered) => {
    const createdAt = NOON + 2 * SECOND + later;
    const reader = restlessStore(idsFrom(1, 5).map((id) => aRow(id, { createdAt })));

    const step = await stepAtNoon({ ...position, coveredThrough: CLOSED }, reader);

    expect(step.covered).toEqual(covered);
    expect(step.isDone).toBe(true);
  });

  it('are covered up to the closed time of this moment if later groups entered meanwhile', async () => {
    const moment = NOON + MINUTE;
    const reader = restlessStore(idsFrom(1, 5).map((id) => aRow(id, { createdAt: moment })));

    const now = () => (reader.requests.length === 0 ? NOON : moment);
    const step = await stepAtNoon({ ...position, coveredThrough: CLOSED }, reader, { now });

    expect(step).toMatchObject({ covered: { from: CLOSED, to: moment - 10 * SECOND }, isDone: true });
  });

  it.each([0, 1])(
    'end the walk soon if others come with each request, by a clock %i s behind',
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

      const step = await stepAtNoon(position, witness.reader, { stamps, now });

      expect(step).toMatchObject({ covered: { from: NOON - MINUTE }, isDone: true });
      expect(list.requests).toBeLessThanOrEqual(10);
      expect(witness.missedOf({ created: step.covered })).toEqual([]);
    },
  );

  it('do not count as entered meanwhile if their stamps were known before to a clock that lags behind', async () => {
    const list = createModelList({ seed: 3, now: NOON, order: 'created asc', pages: clampedTo(1) });
    for (const id of idsFrom(1, 4)) list.add({ createdAt: NOON - id * 10_000 });
    const witness = createWitness(list);

    const step = await stepAtNoon(position, witness.reader, { now: () => NOON - SECOND / 2 });

    expect(step).toMatchObject({ covered: { to: undefined }, isDone: true });
    expect(witness.seen.size).toBe(4);
  });

  // Seed 709715: an answer without Date leaves the stamps' clock at the newest stamp that was read so far.
  it('do not count as entered meanwhile if each is newer than all groups read before it', async () => {
    const rows = idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON - 100 * DAY + id * DAY }));
    let stamps = { ...STAMPS, newest: NOON - 100 * DAY };
    const reader = createScriptedReader((request) => pageWithin(request, rows, 1));
    const take = async (page: Page) => {
      for (const { createdAt } of page.rows)
        stamps = { ...stamps, newest: Math.max(stamps.newest, createdAt ?? 0) };
      await reader.take(page);
    };
    const newest = { coveredThrough: NOON - 100 * DAY, rangeWidth: DAY };

    const step = await stepAtNoon(newest, reader, { take, stamps: () => stamps });

    expect(step).toMatchObject({ covered: { from: newest.coveredThrough, to: undefined }, isDone: true });
    expect(reader.taken.flatMap((page) => page.rows)).toEqual(expect.arrayContaining(rows));
  });

  it('are covered to their open end if they only seem new because the stamps’ clock was behind', async () => {
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

    const step = await stepAtNoon(quiet, witness.reader, { take, stamps, now: () => list.now });

    expect(step).toMatchObject({ covered: { to: undefined }, isDone: true });
    expect(witness.seen.size).toBe(2);
  });

  it('are covered by a later walk if none of them is closed yet', async () => {
    const from = NOON + 20 * SECOND;
    const now = () => NOON + 21 * SECOND + reader.requests.length * 0.1 * SECOND;
    const reader = createScriptedReader((request, index) => {
      const rows = idsFrom(1, 20 + index).map((id) => aRow(id, { createdAt: from + id * 0.05 * SECOND }));
      return pageWithin(request, rows.toReversed(), 12);
    });

    const step = await stepAtNoon({ ...position, coveredThrough: from }, reader, { now });

    expect(step).toMatchObject({ covered: undefined, isDone: true });
    const ranges = reader.requests.map(({ range }) => range);
    expect(ranges.filter(({ created }) => created?.from !== from || created.to !== undefined)).toEqual([]);
    expect(ranges.length).toBeLessThanOrEqual(4);
  });

  it('are covered to their open end if others entered only at first', async () => {
    const rows = idsFrom(1, 30).map((id) => aRow(id, { createdAt: CLOSED - id * SECOND }));
    const entered = aRow(31, { createdAt: NOON + SECOND });
    const reader = createScriptedReader((request, index) =>
      pageWithin(request, index > 0 ? [entered, ...rows] : rows, 12),
    );

    const now = () => NOON + reader.requests.length * SECOND;
    const step = await stepAtNoon(position, reader, { now });

    expect(step).toMatchObject({ covered: { from: CLOSED - 5 * MINUTE, to: undefined }, isDone: true });
    expect(step.unstable).toBeDefined();
  });

  it('are read in ranges if they are months old and more than a list shows', async () => {
    const rows = idsFrom(1, 30).map((id) => aRow(id, { createdAt: CLOSED - (31 - id) * 3 * DAY }));
    const reader = createScriptedReader((request) => {
      if (request.offset >= 17) throw new PageOutOfReach('No page is available from row 17 on.');
      return pageWithin(request, rows, Math.min(8, 17 - request.offset));
    });
    // The newest stamp read by then is that of the older half of a store without changes.
    const since = CLOSED - 100 * DAY;
    const stamps = () => {
      const newest = reader.requests.length === 0 ? since : NOON;
      return { ...STAMPS, newest, newestReceivedAt: NOON };
    };
    const seen = new Set<number>();
    const take = async (page: Page) => {
      for (const row of page.rows) if (row.kind === 'readable') seen.add(row.group.id);
    };

    const first = await stepAtNoon({ coveredThrough: since, rangeWidth: FIRST_WIDTH }, reader, {
      stamps,
      take,
    });
    let step = first;
    for (let steps = 0; !step.isDone && steps < 100; steps += 1)
      step = await stepAtNoon(step.position, reader, { stamps, take });

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

    const step = await stepAtNoon(position, reader, { maxPages: 10_000 });

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

    const once = await stepAtNoon(position, reader, { maxPages: 4 });
    const twice = await stepAtNoon(once.position, reader, { maxPages: 4 });

    expect(once).toMatchObject({ covered: undefined, isDone: false });
    expect(once.position.coveredThrough).toBe(position.coveredThrough);
    expect(twice).toMatchObject({ covered: undefined, isDone: true });
    expect(reader.requests.length).toBeLessThan(100);
  });

  it('may be many pages', async () => {
    const list = createModelList({ seed: 2, now: NOON, order: 'created asc', pages: clampedTo(10) });
    for (const id of idsFrom(1, 1_200)) list.add({ createdAt: CLOSED - 4 * MINUTE + id * 10_000 });
    const witness = createWitness(list, { maxPages: 20 });

    const step = await stepAtNoon(position, witness.reader);

    expect(step).toMatchObject({ isDone: true, covered: { to: undefined } });
    expect(witness.seen.size).toBe(1_200);
  });
});
