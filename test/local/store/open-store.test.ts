// What the stores of one machine do beyond the ports, whose behaviour the suites of test/contract check.
import { existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { holdsFeed, type LocalStore, openStore, openStoreToRead } from '../../../local/store/open-store.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../../shared/instant.ts';
import { LEDGER_RETENTION } from '../../../shared/limits.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { newEndpoint } from '../../../shared/webhooks/endpoint-state.ts';
import { ACME, aKey, anEvent, aSave, aShipment, newSaves } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';
import { inDirectory } from './run-store.ts';

const GLOBEX = { source: 'globex', generation: 'mi8x2k' };
/** The time of the sample events. */
const EVENT_TIME = Date.parse('2026-11-20T10:15:02.123Z') * 1_000;

let now: Instant;
let store: LocalStore;

beforeEach(async () => {
  now = EVENT_TIME;
  store = await openStore(undefined, { clock: { ...createSystemClock(), now: () => now } });
});
afterEach(() => store.close());

const save = (key: GroupKey, events = 2) => store.snapshots.save(key, aSave(key, undefined, events));
const numbersOf = async (key: GroupKey) =>
  (await store.ledger.read(key, 0, 1_000)).map(({ sequence }) => sequence);

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('marks', () => {
  test('are refused beyond the last event of their group, also after it was erased', async () => {
    await save(aKey(1), 3);
    await store.eraser.erase(aKey(1), 3);

    await expect(store.marks.advance('output', aKey(1), 4)).rejects.toThrow('beyond the last event');
    await expect(store.marks.advance('output', aKey(2), 1)).rejects.toThrow('beyond the last event');
    expect(await store.marks.advance('output', aKey(1), 3)).toBe(true);
    await expect(store.marks.advance('output', aKey(1), 4)).rejects.toThrow('beyond the last event');
    expect(await store.marks.load('output', aKey(1))).toBe(3);
  });

  test('do not fail because of another write of the same moment', async () => {
    const keys = [1, 2, 3].map((group) => aKey(group));
    for (const key of keys) await save(key);

    const moves = keys.map((key, at) => store.marks.advance('output', key, at + 1));

    expect(await Promise.allSettled(moves)).toMatchObject([
      { value: true },
      { value: true },
      { status: 'rejected' },
    ]);
    expect(await Promise.all(keys.map((key) => store.marks.load('output', key)))).toEqual([1, 2, undefined]);
  });

  test('are read with their notes', async () => {
    await save(aKey(1));
    await store.marks.advance('hook', aKey(1), 1);
    await store.marks.noteFailing('hook', aKey(1), { sequence: 2, reason: 'answered 500', at: 7 });

    expect(await store.mark('hook', aKey(1))).toEqual({
      sequence: 1,
      behind: '2: answered 500',
      failingSince: 7,
    });
    expect(await store.mark('hook', aKey(2))).toEqual({});
  });

  test('list the groups that are behind, of one destination and one source', async () => {
    const [other, alike] = [aKey(2, GLOBEX), aKey(3, { ...GLOBEX, source: 'globex-2' })];
    for (const key of [aKey(1), other, alike]) {
      await save(key);
      await store.marks.noteBehind('queue', key, { sequence: 1, reason: 'refused' });
    }
    await store.marks.noteBehind('queue', aKey('feed'), { sequence: 1, reason: 'refused' });
    await store.marks.advance('queue', aKey(1), 1);

    const keysOf = async (source?: string) =>
      (await collect(store.behind('queue', source))).map(({ key }) => key);

    expect(await keysOf()).toEqual([aKey('feed'), alike, other]);
    expect(await keysOf('globex')).toEqual([other]);
    expect(await collect(store.behind('bus'))).toEqual([]);
    expect(await collect(store.behind('queue', 'globex'))).toEqual([
      {
        destination: 'queue',
        key: other,
        sequence: undefined,
        behind: '1: refused',
        failingSince: undefined,
      },
    ]);
  });
});

describe('what a destination has not got yet', () => {
  const at = { destination: 'hook', generations: [ACME], filter: {}, since: EVENT_TIME - 1 };

  test('is counted in returns and events, however many there are', async () => {
    for (let group = 1; group <= 60; group += 1) await save(aKey(group), 3);
    await save(aKey(1, GLOBEX));
    await store.marks.advance('hook', aKey(1), 3);
    await store.marks.advance('hook', aKey(2), 1);

    expect(await store.unsent(at)).toEqual({
      returns: 59,
      events: 58 * 3 + 2,
      isCut: false,
      oldest: EVENT_TIME,
    });
  });

  test('is counted again as marks move and events come, also of returns that lacked none', async () => {
    for (let group = 1; group <= 3; group += 1) await save(aKey(group));
    await store.marks.advance('hook', aKey(1), 2);
    const counted = [await store.unsent(at)];

    await store.marks.advance('hook', aKey(2), 2);
    counted.push(await store.unsent(at));
    await store.snapshots.save(aKey(1), aSave(aKey(1), aSave(aKey(1), undefined, 2).snapshot, 3));
    await save(aKey(4));
    counted.push(await store.unsent(at));

    const numbers = counted.map(({ returns, events }) => ({ returns, events }));
    expect(numbers).toEqual([
      { returns: 2, events: 4 },
      { returns: 1, events: 2 },
      { returns: 3, events: 7 },
    ]);
  });

  test('is counted no further than ten thousand events', async () => {
    for (let group = 1; group <= 3; group += 1) await save(aKey(group), 5_000);
    await store.marks.advance('hook', aKey(3), 1);

    const unsent = await store.unsent(at);

    expect(unsent).toMatchObject({ returns: 3, events: 14_999, isCut: false });
    await save(aKey(4));
    expect(await store.unsent(at)).toMatchObject({ returns: 3, events: 14_999, isCut: true });
  });

  test('is of a return without a mark only what was saved since the destination began', async () => {
    await save(aKey(1));
    now += MINUTE;
    await save(aKey(2));

    const { returns, oldest } = await store.unsent({ ...at, since: EVENT_TIME });

    expect({ returns, oldest }).toEqual({ returns: 1, oldest: now });
  });

  test('is what its filter admits, also where its mark stays below others', async () => {
    await save(aKey(1), 3);

    const unsentOf = async (type: 'shipment.status_changed' | 'shipment.created') =>
      (await store.unsent({ ...at, filter: { types: [type] } })).events;

    expect(await unsentOf('shipment.status_changed')).toBe(3);
    expect(await unsentOf('shipment.created')).toBe(0);
  });

  test('is unknown of a destination that was removed: it begins anew', async () => {
    await save(aKey(1));
    await store.marks.advance('hook', aKey(1), 2);
    await store.endpoints.save('hook', { ...newEndpoint(now), version: 1 }, 0);

    await store.removeDestination('hook');

    expect(await store.marks.load('hook', aKey(1))).toBeUndefined();
    expect(await store.endpoints.load('hook')).toBeUndefined();
  });
});

describe('a store that is opened to read', () => {
  test('sees what another process writes, changes no rights, and writes nothing', async () => {
    await inDirectory(async (directory) => {
      const writing = await openStore(directory);
      await writing.snapshots.save(aKey(1), aSave(aKey(1), undefined, 2));
      await chmod(join(directory, 'feed.db'), 0o640);

      const reading = await openStoreToRead(directory);
      const read = await reading.ledger.read(aKey(1), 0, 9);
      const written = reading.marks.advance('hook', aKey(1), 1);

      expect(read).toHaveLength(2);
      await expect(written).rejects.toThrow('can not be written');
      expect((await stat(join(directory, 'feed.db'))).mode & 0o777).toBe(0o640);
      await reading.close();
      await writing.close();
    });
  });

  test('refuses a copy as a place to continue, as the next one that writes will', async () => {
    await inDirectory(async (directory) => {
      const first = await openStore(directory);
      await first.snapshots.save(aKey(1), aSave(aKey(1), undefined, 2));
      const identity = await first.states.identity();
      await first.close();
      await copyFile(join(directory, 'feed.db'), join(directory, 'copy'));
      await rename(join(directory, 'copy'), join(directory, 'feed.db'));

      const reading = await openStoreToRead(directory);

      expect(await reading.states.identity()).not.toBe(identity);
      expect(reading.notices).toEqual([expect.stringMatching(/is a copy, or another file than before/)]);
      await reading.close();
    });
  });

  test('names a directory in which nothing is', async () => {
    await inDirectory(async (directory) => {
      await expect(openStoreToRead(join(directory, 'nothing'))).rejects.toThrow(
        /There is no state in .*nothing/,
      );
      expect(await readdir(directory)).toEqual([]);
    });
  });
});

describe('lists', () => {
  test('the sources that have a state', async () => {
    for (const name of ['zeta', 'acme']) await store.states.save(aState(name), 0);
    await store.searches.save('busy', { version: 1, expiresAt: 1, sentAt: [] }, 0);

    expect(await store.sources()).toEqual(['acme', 'zeta']);
  });

  test('the URLs that the last watch forwards to', async () => {
    const url = (id: string) => ({ id, address: `http://127.0.0.1/${id}`, filter: {} });
    const whole = { ...url('c'), filter: { hasTracking: true }, shape: 'return' } as const;
    await store.forwards.replace([url('a'), url('b')]);

    await store.forwards.replace([whole]);

    expect(await store.forwards.list()).toEqual([whole]);
  });

  test('the groups whose state has a text, those that were created last first', async () => {
    await store.snapshots.saveAll(ACME, newSaves([2, 3, 1]));

    expect(await store.candidates(ACME, '', 2)).toEqual([3, 2]);
    expect(await store.candidates(ACME, 'nobody has this', 2)).toEqual([]);
    expect(await store.candidates(GLOBEX, '', 2)).toEqual([]);
  });

  test('more known groups than are read at once, each once', async () => {
    const ids = Array.from({ length: 2_345 }, (_, at) => at + 1);
    await store.snapshots.saveAll(ACME, newSaves(ids));

    const known = await collect(store.snapshots.knownCreatedBetween(ACME, 0, Number.POSITIVE_INFINITY));

    expect(known.map(({ groupId }) => groupId)).toEqual(ids);
  });

  test('more groups with events than are read at once, but none whose events are all gone', async () => {
    const keys = Array.from({ length: 1_203 }, (_, at) => aKey(at + 1));
    await Promise.all(keys.map((key) => save(key, 1)));
    await store.eraser.erase(aKey(7), 1);

    const groups = await collect(store.ledger.groups());

    expect(groups.map(({ key }) => key.group)).toEqual(
      keys.map(({ group }) => group).filter((group) => group !== 7),
    );
  });
});

describe('the groups with events that a destination lacks', () => {
  beforeEach(async () => {
    for (const group of [1, 2, 3]) await save(aKey(group), 2);
    await store.marks.advance('hook', aKey(1), 2);
    await store.marks.advance('hook', aKey(2), 1);
  });

  test('are those beyond its marks', async () => {
    const groups = await collect(store.ledger.groups({ destination: 'hook' }));

    expect(groups.map(({ key, last }) => [key.group, last])).toEqual([
      [2, 2],
      [3, 2],
    ]);
  });

  test('are without a mark only those with an event since a moment, up to an hour before it', async () => {
    const since = now + 2 * HOUR;
    now += HOUR;
    await save(aKey(4), 1);

    const groups = await collect(store.ledger.groups({ destination: 'hook', since }));

    expect(groups.map(({ key }) => key.group)).toEqual([2, 4]);
  });

  test('are read with turns for other work, so that a long list holds up no request', async () => {
    for (let group = 4; group <= 900; group += 1) await save(aKey(group), 1);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      other = setImmediate(count);
    };
    let other = setImmediate(count);

    for await (const { last } of store.ledger.groups()) if (last < 0) break;

    clearImmediate(other);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

test('the activity of a source has the groups that changed last and the events of each minute', async () => {
  const from = Math.floor(now / MINUTE) * MINUTE;
  await save(aKey(1), 3);
  await save(aKey(1, GLOBEX), 5);
  now += MINUTE;
  await store.ledger.append(aKey('read'), anEvent(aKey(1), 1));
  await save(aKey(2), 2);

  const activities = await store.activitiesOf(['acme', 'none']);

  expect(activities.get('acme')).toEqual({
    minutes: [
      { from: from + MINUTE, events: 2 },
      { from, events: 3 },
    ],
    recent: [
      { group: 2, sequence: 2, savedAt: now },
      { group: 1, sequence: 3, savedAt: now - MINUTE },
    ],
  });
  expect(activities.has('none')).toBe(false);
});

test('the activities of all sources are found together, of each the groups that changed last', async () => {
  await save(aKey(1, GLOBEX), 1);
  const groups = Array.from({ length: 1_100 }, (_, place) => place + 1);
  await Promise.all(groups.map((group) => save(aKey(group), 1)));

  const activities = await store.activitiesOf(['acme', GLOBEX.source]);

  expect(activities.get('acme')?.recent.map(({ group }) => group)).toEqual(groups.slice(-50).reverse());
  expect(activities.get(GLOBEX.source)).toMatchObject({ minutes: [{ events: 1 }], recent: [{ group: 1 }] });
});

test('each commit with events is reported with its groups, until the listener leaves', async () => {
  const reported: unknown[] = [];
  const leave = store.onCommit(({ groups }) => reported.push(...groups));
  await save(aKey(1));
  await save(aKey(2), 0);
  await store.marks.advance('output', aKey(1), 1);
  await Promise.all([save(aKey(3)), save(aKey(4))]);

  leave();
  for (const group of [5, 6]) await save(aKey(group));

  expect(reported).toEqual([1, 3, 4].map((group) => ({ key: aKey(group), first: 1 })));
});

describe('events expire', () => {
  const RETENTION_AND_A_MINUTE = LEDGER_RETENTION + MINUTE;

  /** The events of the test have their times from `now`. */
  async function saveAt(key: GroupKey): Promise<void> {
    const time = new Date(now / 1_000).toISOString();
    const [event] = aSave(key, undefined, 1).events;
    await store.snapshots.save(key, {
      ...aSave(key, undefined, 1),
      events: event ? [{ ...event, time }] : [],
    });
  }

  test('after the retention, but those of the feed never', async () => {
    await saveAt(aKey(1));
    await store.ledger.append(aKey('feed'), anEvent(aKey(1), 1));
    now += DAY;
    await saveAt(aKey(2));
    now += LEDGER_RETENTION - DAY + MINUTE;
    await saveAt(aKey(3));
    now += MINUTE;
    await saveAt(aKey(4));

    expect(await numbersOf(aKey(1))).toEqual([]);
    expect(await numbersOf(aKey(2))).toEqual([1]);
    expect(await numbersOf(aKey('feed'))).toEqual([1]);
    await expect(store.marks.advance('output', aKey(1), 2)).rejects.toThrow('beyond the last event');
    expect(await store.marks.advance('output', aKey(1), 1)).toBe(true);
  });

  test('not by a clock that is far ahead of the service', async () => {
    await saveAt(aKey(1));
    await saveAt(aKey(2));
    now += 10 * RETENTION_AND_A_MINUTE;
    await save(aKey(3));
    now += MINUTE;
    await save(aKey(4));

    expect(await numbersOf(aKey(1))).toEqual([1]);
  });

  test('within a day if they say what is read', async () => {
    await store.ledger.append(aKey('read'), anEvent(aKey(1), 1));
    now += DAY + MINUTE;
    await store.ledger.append(aKey('read'), anEvent(aKey(1), 2));

    expect(await numbersOf(aKey('read'))).toEqual([2]);
  });
});

test('nothing of an erased event is left in the files', () =>
  inDirectory(async (directory) => {
    const open = await openStore(directory);
    const event = anEvent(aKey(1), 1, { ...aShipment(1), tracking_number: 'PERSONAL-4711' });
    await open.snapshots.save(aKey(1), { ...aSave(aKey(1), undefined, 1), events: [event] });
    const contains = async () => {
      const files = await Promise.all(
        (await readdir(directory)).map((name) => readFile(join(directory, name))),
      );
      return files.some((content) => content.includes('PERSONAL-4711'));
    };
    expect(await contains()).toBe(true);

    await open.eraser.erase(aKey(1), 1);

    expect(await contains()).toBe(false);
    await open.close();
  }));

describe('a backup', () => {
  test('of a store in use is whole, and private', () =>
    inDirectory(async (directory) => {
      const file = join(directory, 'backup.db');
      await Promise.all(Array.from({ length: 200 }, (_, at) => save(aKey(at + 1))));

      const writing = Array.from({ length: 200 }, (_, at) => save(aKey(1_000 + at)));
      await store.backup(file);
      await Promise.all(writing);

      const copy = new DatabaseSync(file);
      expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      expect(copy.prepare('SELECT count(*) AS rows FROM ledger').get()?.rows).toBeGreaterThanOrEqual(400);
      copy.close();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }));

  test('never replaces a file', () =>
    inDirectory(async (directory) => {
      const file = join(directory, 'backup.db');
      await writeFile(file, 'precious');

      await expect(store.backup(file)).rejects.toThrow(`The backup can't be written to ${file}: it exists.`);
      expect(await readFile(file, 'utf8')).toBe('precious');
    }));
});

test('a store without a directory is private, and leaves nothing behind', () =>
  inDirectory(async (directory) => {
    vi.stubEnv('TMPDIR', directory);
    const other = await openStore(undefined);
    vi.unstubAllEnvs();
    const [made = ''] = await readdir(directory);
    expect((await stat(join(directory, made))).mode & 0o777).toBe(0o700);
    expect(existsSync(join(directory, made, 'feed.db'))).toBe(true);

    await other.close();

    expect(await readdir(directory)).toEqual([]);
  }));

test('a directory holds a feed once a store was opened there', () =>
  inDirectory(async (directory) => {
    expect(holdsFeed(directory)).toBe(false);

    await (await openStore(directory)).close();

    expect(holdsFeed(directory)).toBe(true);
  }));
