// Several processes on one data directory, and processes that are killed.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { lockForWatch, watchHolder } from '../../../local/store/watch-lock.ts';
import { parseEventId } from '../../../shared/contract/event-id.ts';
import { SECOND } from '../../../shared/instant.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { inDirectory, runStore, startStore } from './run-store.ts';

/** By hand: STORE_KILLS=100. */
const KILLS = Number(process.env.STORE_KILLS ?? 8);

type Confirmed = Map<string, string>;

/** Lets a process save until it has confirmed so many events, and kills it. */
async function saveUntilKilled(directory: string, confirmed: Confirmed, events: number): Promise<void> {
  const { child, lines } = startStore('save', directory);
  let left = events;
  for await (const line of lines) {
    const [id = '', digest = ''] = line.split(' ');
    const known = confirmed.get(id);
    if (known !== undefined && known !== digest) throw new Error(`${id} was confirmed with two contents.`);
    if (parseEventId(id) === undefined) throw new Error(line);
    confirmed.set(id, digest);
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  }
}

/** The confirmed events that the directory does not have as they were confirmed. */
async function missingOf(directory: string, confirmed: Confirmed): Promise<string[]> {
  const store = await openStore(directory);
  expect(store.notices).toEqual([]);
  const stored = new Map<string, string>();
  for await (const { key, last } of store.ledger.groups()) {
    const entries = await store.ledger.read(key, 0, last);
    expect(entries).toHaveLength(last);
    expect((await store.snapshots.load(key, [Number(key.group)])).get(Number(key.group))?.sequence).toBe(
      last,
    );
    for (const entry of entries)
      if ('event' in entry)
        stored.set(entry.event.id, createHash('sha256').update(JSON.stringify(entry.event)).digest('hex'));
  }
  await store.close();
  return [...confirmed].filter(([id, digest]) => stored.get(id) !== digest).map(([id]) => id);
}

test('nothing that was confirmed is lost or has another content when a process is killed at any moment', async () => {
  await inDirectory(async (directory) => {
    const confirmed: Confirmed = new Map();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await saveUntilKilled(directory, confirmed, Math.ceil(Math.random() * 300));
      expect(await missingOf(directory, confirmed)).toEqual([]);
    }
    expect(confirmed.size).toBeGreaterThan(KILLS);
  });
}, 600_000);

test('two processes write at the same time, and each group has one order', async () => {
  await inDirectory(async (directory) => {
    const confirmed: Confirmed = new Map();

    await Promise.all([1, 2].map(() => saveUntilKilled(directory, confirmed, 300)));

    expect(confirmed.size).toBeGreaterThanOrEqual(600);
    expect(await missingOf(directory, confirmed)).toEqual([]);
  });
});

test('the commits of another process are reported', async () => {
  await inDirectory(async (directory) => {
    const store = await openStore(directory);
    const news = new Promise((resolve) => {
      store.onCommit(resolve);
    });

    await runStore('once', directory);

    expect(await news).toEqual({ groups: [{ key: aKey(1), first: 1 }], isForeign: true });
    await store.close();
  });
});

test('a second watch hears who holds the directory, also if that process stands still', async () => {
  await inDirectory(async (directory) => {
    const { child, lines } = startStore('lock', directory);
    await lines.next();
    child.kill('SIGSTOP');

    const [locking, holder] = [lockForWatch(directory), watchHolder(directory)];

    await expect(locking).rejects.toThrow(
      new RegExp(`in use by a "watch" since 20.*process ${child.pid}\\)\\. End`),
    );
    expect(await holder).toMatchObject({ pid: child.pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

test('the directory is free at once when its holder is killed', async () => {
  await inDirectory(async (directory) => {
    const { child, lines } = startStore('lock', directory);
    await lines.next();

    child.kill('SIGKILL');
    // The output closes before the process is reaped.
    await lines.next();
    const lock = await lockForWatch(directory);

    expect(await watchHolder(directory)).toMatchObject({ pid: process.pid });
    lock.release();
    expect(await watchHolder(directory)).toBeUndefined();
  });
});

test('a look at who holds the directory does not stop a watch that starts', async () => {
  await inDirectory(async (directory) => {
    const { child, lines } = startStore('peek', directory);
    await lines.next();

    for (let start = 0; start < 300; start += 1) (await lockForWatch(directory)).release();

    child.kill();
    await once(child, 'exit');
  });
});

test('a watch whose lock was deleted saves nothing any more, as another one may run', async () => {
  await inDirectory(async (directory) => {
    const lock = await lockForWatch(directory);
    const store = await openStore(directory, { lock });
    const save = (group: number) => store.snapshots.save(aKey(group), aSave(aKey(group), undefined, 1));
    await save(1);

    await rm(join(directory, 'watch.lock'));
    const second = await lockForWatch(directory);

    await expect(save(2)).rejects.toThrow(/watch\.lock was deleted, .* another "watch" may use .* End all/);
    expect((await store.snapshots.load(aKey(2), [2])).size).toBe(0);
    await store.close();
    for (const each of [lock, second]) each.release();
  });
});

test('a write waits for another program for five minutes, and says so once', async () => {
  await inDirectory(async (directory) => {
    let elapsed = 0;
    const clock = {
      ...createSystemClock(),
      elapsed: () => elapsed,
      sleep: async () => {
        elapsed += 40 * SECOND;
      },
    };
    const said: string[] = [];
    const store = await openStore(directory, { clock, onWait: (message) => said.push(message) });
    const other = new DatabaseSync(join(directory, 'feed.db'));
    other.exec('BEGIN IMMEDIATE');

    const saving = store.snapshots.save(aKey(1), aSave(aKey(1), undefined, 1));

    await expect(saving).rejects.toThrow(/feed\.db has been held by another program for five minutes\. End/);
    expect(elapsed).toBe(320 * SECOND);
    expect(said).toEqual([expect.stringMatching(/^Another program holds .*feed\.db: nothing can be saved/)]);
    other.close();
    await store.close();
  });
});

test('a write waits for the transaction of another process, without standing still', async () => {
  await inDirectory(async (directory) => {
    const store = await openStore(directory);
    const other = new DatabaseSync(join(directory, 'feed.db'));
    other.exec('BEGIN IMMEDIATE');

    const saving = store.snapshots.save(aKey(1), aSave(aKey(1), undefined, 1));
    // Two turns of the event loop: the write was tried, and has failed for now.
    for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve));
    other.exec('COMMIT');

    expect(await saving).toBe('saved');
    other.close();
    await store.close();
  });
});
