// The pull feed's positions and readers: on one machine, and in AWS.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forgetGroup } from '../../shared/comparing/forget-group.ts';
import { DAY, HOUR, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { LEDGER_RETENTION } from '../../shared/limits.ts';
import type { Clock, GroupKey } from '../../shared/ports.ts';
import { type Reader, withToken } from '../../shared/pulling/reader.ts';
import { countLate } from '../../shared/pulling/unread.ts';
import { PULL_STORES, type PullStores } from './positions-under-test.ts';
import { aKey, anEvent, aSave } from './sample-saves.ts';
import { hastyClock } from './stores.ts';

const A_MINUTE_MS = 60_000;
const at = { now: 1_795_000_000_000_000 };
const clock: Clock = { ...hastyClock, now: () => at.now };

async function saveTo(stores: PullStores, key: GroupKey, count: number): Promise<void> {
  const time = new Date(at.now / 1_000).toISOString();
  const { events, ...rest } = aSave(key, undefined, count);
  await stores.snapshots.save(key, { ...rest, events: events.map((event) => ({ ...event, time })) });
  await stores.relay([key], A_MINUTE_MS);
}

describe.each(PULL_STORES)('positions $name', ({ open }) => {
  let stores: PullStores;
  let start: number;
  let lastGroup = 1_000;

  beforeAll(async () => {
    stores = await open(clock);
  });
  afterAll(() => stores.close());
  beforeEach(async () => {
    start = await stores.positions.newest();
  });

  const freshKey = () => aKey(lastGroup++);

  const save = (key: GroupKey, count: number) => saveTo(stores, key, count);

  async function read(after: number, limit = 100) {
    const found = await stores.positions.read(after, limit);
    if (found === 'expired') return found;
    const ids = found.events.map(({ event, position }) => `${position - start}: ${event.id}`);
    return { ids, last: found.last - start };
  }

  const idOf = ({ source, generation, group }: GroupKey, sequence: number) =>
    `${source}_${generation}_${group}_${sequence}`;

  test('give the events of all returns one order, without a hole', async () => {
    const [second, first] = [freshKey(), freshKey()];

    await save(first, 2);
    await save(second, 1);

    expect(await read(start)).toEqual({
      ids: [`1: ${idOf(first, 1)}`, `2: ${idOf(first, 2)}`, `3: ${idOf(second, 1)}`],
      last: 3,
    });
    expect(await stores.positions.newest()).toBe(start + 3);
  });

  test('are read in parts, each from the last position of the one before', async () => {
    const key = freshKey();
    await save(key, 3);

    const parts = [await read(start, 2), await read(start + 2, 2), await read(start + 3, 2)];

    expect(parts).toEqual([
      { ids: [`1: ${idOf(key, 1)}`, `2: ${idOf(key, 2)}`], last: 2 },
      { ids: [`3: ${idOf(key, 3)}`], last: 3 },
      { ids: [], last: 3 },
    ]);
  });

  test('stay as they are when a group is named again', async () => {
    const key = freshKey();
    await save(key, 2);
    const before = await read(start);

    await stores.relay([key, key], A_MINUTE_MS);

    expect(await read(start)).toEqual(before);
  });

  test('are given to all events of a large change', async () => {
    const key = freshKey();

    await save(key, 150);

    const { ids = [] } = (await read(start, 200)) as { ids: string[] };
    expect(ids).toEqual(Array.from({ length: 150 }, (_, index) => `${index + 1}: ${idOf(key, index + 1)}`));
  });

  test('show no event of the feed itself', async () => {
    const key = { ...aKey('feed'), source: `own-${lastGroup++}` };
    await stores.ledger.append(key, anEvent(key, 1));

    await stores.relay([key], A_MINUTE_MS);

    expect((await stores.positions.read(start, 10)) as object).toMatchObject({ events: [] });
  });

  test('show nothing in place of what was forgotten, and go on', async () => {
    const [forgotten, other] = [freshKey(), freshKey()];
    await save(forgotten, 2);
    await save(other, 1);
    const [snapshot] = (await stores.snapshots.load(forgotten, [Number(forgotten.group)])).values();
    if (snapshot === undefined) throw new Error('no snapshot');

    await stores.snapshots.save(forgotten, forgetGroup(snapshot, forgotten, at.now, false));
    await stores.eraser.erase(forgotten, 2);

    expect(await read(start)).toEqual({ ids: [`3: ${idOf(other, 1)}`], last: 3 });
  });

  test('end a wait when there is a new one', async () => {
    const key = freshKey();
    const told = stores.positions.change(new AbortController().signal);

    await save(key, 1);

    await expect(told).resolves.toBeUndefined();
  });

  test('end a wait that is ended', async () => {
    await expect(stores.positions.change(AbortSignal.abort())).resolves.toBeUndefined();
  });

  test('have expired after the retention, and go on from the first that is kept', async () => {
    const [old, late] = [freshKey(), freshKey()];
    await save(old, 2);
    at.now += LEDGER_RETENTION - DAY;
    await save(late, 1);
    at.now += DAY + MINUTE;
    // On one machine a later save removes what has expired.
    await save(freshKey(), 1);
    await save(freshKey(), 1);

    const expired = await stores.positions.expired();

    expect(expired).toBe(start + 2);
    expect(await read(start + 1)).toBe('expired');
    expect(await read(expired, 1)).toEqual({ ids: [`3: ${idOf(late, 1)}`], last: 3 });
  });

  test('are counted beyond one, with the moment of the first', async () => {
    const own = { ...aKey('feed'), source: `own-${lastGroup++}` };
    await save(freshKey(), 1);
    at.now += MINUTE;
    const second = at.now;
    await save(freshKey(), 2);
    await stores.ledger.append(own, anEvent(own, 1));
    at.now += MINUTE;

    const [beyond, none] = [
      await stores.positions.beyond(start + 1),
      await stores.positions.beyond(start + 3),
    ];

    expect(beyond).toEqual({ count: 2, isCut: false, since: expect.closeTo(second, -6) });
    expect(none).toEqual({ count: 0, isCut: false, since: undefined });
  });

  test('are not counted beyond one whose next has expired', async () => {
    await save(freshKey(), 2);
    at.now += LEDGER_RETENTION + MINUTE;
    // On one machine a later save removes what has expired.
    await save(freshKey(), 1);
    await save(freshKey(), 1);

    expect(await stores.positions.beyond(start + 1)).toBe('expired');
    expect(await stores.positions.beyond(start + 2)).toMatchObject({ count: 2 });
  });

  test('belong to this place', async () => {
    const other = await open(clock);

    const epochs = [await stores.positions.epoch(), await other.positions.epoch()];
    await other.close();

    expect(new Set(epochs).size).toBe(2);
    expect(epochs.join('')).toMatch(/^[\w-]+$/);
  });
});

describe.each(PULL_STORES)('readers $name', ({ open }) => {
  let stores: PullStores;

  beforeAll(async () => {
    stores = await open(clock);
  });
  afterAll(() => stores.close());

  const wms: Reader = { filter: { sources: ['acme'] }, shape: 'return', tokens: ['hash'] };

  test('are listed and loaded as they were added', async () => {
    await stores.readers.add('wms', wms);
    await stores.readers.add('erp', { filter: {}, tokens: [] });

    expect([...(await stores.readers.list())]).toEqual([
      ['erp', { filter: {}, tokens: [] }],
      ['wms', wms],
    ]);
    expect(await stores.readers.load('wms')).toEqual(wms);
    expect(await stores.readers.load('shop')).toBeUndefined();
  });

  test('keep their names to themselves', async () => {
    await stores.readers.add('named', wms);

    expect(await stores.readers.add('named', { filter: {}, tokens: ['another'] })).toBe(false);
    expect(await stores.readers.load('named')).toEqual(wms);
  });

  test('keep every change of several at once', async () => {
    await stores.readers.add('changed', { filter: {}, tokens: ['old'] });

    await Promise.all([
      stores.readers.change('changed', (reader) => withToken(reader, 'new')),
      stores.readers.change('changed', (reader) => ({ ...reader, lastOffset: 'an-offset', readAt: 7 })),
    ]);

    const expected = { filter: {}, tokens: ['new', 'old'], lastOffset: 'an-offset', readAt: 7 };
    expect(await stores.readers.load('changed')).toEqual(expected);
  });

  test('are gone once removed, and a change does not bring them back', async () => {
    await stores.readers.add('gone', wms);

    const removed = [await stores.readers.remove('gone'), await stores.readers.remove('gone')];

    expect(removed).toEqual([true, false]);
    expect(await stores.readers.change('gone', (reader) => withToken(reader, 'new'))).toBeUndefined();
    expect((await stores.readers.list()).has('gone')).toBe(false);
  });

  test('are late once an event waits for longer than their bound', async () => {
    await saveTo(stores, aKey(1), 2);
    const newest = await stores.positions.newest();
    const epoch = await stores.positions.epoch();
    const asksFrom = (position: number, of = epoch) => `${of}_${String(position).padStart(16, '0')}`;
    const read = { filter: {}, tokens: [], readAt: at.now, alarmAfterMs: HOUR / MILLISECOND };
    at.now += 2 * HOUR;

    const late = await Promise.all(
      [
        { ...read, lastOffset: asksFrom(newest - 1) },
        { ...read, lastOffset: asksFrom(newest) },
        { ...read, lastOffset: asksFrom(newest - 1), alarmAfterMs: 3 * read.alarmAfterMs },
        { ...read, lastOffset: asksFrom(newest - 1), alarmAfterMs: undefined },
        { ...read, lastOffset: undefined },
        { ...read, readAt: undefined },
        { ...read, lastOffset: asksFrom(newest, 'restored') },
      ].map((reader) => countLate([reader], stores.positions, at.now)),
    );

    expect(late).toEqual([1, 0, 0, 0, 1, 0, 1]);
  });
});
