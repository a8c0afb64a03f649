// One `watch` at a time has a data directory. It holds an exclusive transaction on a small SQLite file of its own, so
// the kernel releases the lock when the process dies, and only then. Nothing is ever written in the transaction.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { filesOf, identifyFile, prepareDirectory, prepareFile } from './data-directory.ts';
import { resultCode } from './sqlite.ts';
import { explainStoreError, LostDatabaseError, StoreError } from './store-error.ts';

const holder = z.object({
  pid: z.int(),
  /** ISO 8601, in UTC. */
  since: z.string(),
});

/** Whoever holds a directory, for words only: ids of processes repeat, and mean nothing in another container. */
export type Holder = Partial<z.output<typeof holder>>;

export interface WatchLock {
  /** @throws LostDatabaseError if the lock was deleted, so that another `watch` may have taken a new one */
  check(): void;
  release(): void;
}

/** How long a look at the lock, which takes it for a moment, keeps others waiting at most. */
const BUSY_MS = 250;
const BUSY = 5;

/** @throws StoreError naming the holder, if another process, or another call of this one, holds the directory */
export async function lockForWatch(directory: string): Promise<WatchLock> {
  await prepareDirectory(directory);
  const files = filesOf(directory);
  await prepareFile(files.lock);
  const db = take(files.lock, 'EXCLUSIVE');
  if (db === undefined) {
    const { pid, since } = await readHolder(files.holder);
    const who = pid === undefined ? 'another "watch"' : `a "watch" since ${since} (process ${pid})`;
    throw new StoreError(
      `The data directory ${directory} is in use by ${who}. End that one, or name another directory.`,
    );
  }
  const me: Holder = { pid: process.pid, since: new Date().toISOString() };
  await writeFile(files.holder, JSON.stringify(me), { mode: 0o600 });
  const file = identifyFile(files.lock);
  return {
    check() {
      if (identifyFile(files.lock) !== file)
        throw new LostDatabaseError(
          `${files.lock} was deleted, moved or replaced, so another "watch" may use ${directory}. End all of them, and ` +
            'start one again.',
        );
    },
    release: () => db.close(),
  };
}

/** Who holds the directory; undefined if nobody does. Its fields are unknown in the moment in which it takes the lock. */
export async function watchHolder(directory: string): Promise<Holder | undefined> {
  const files = filesOf(directory);
  if (!existsSync(files.lock)) return undefined;
  const db = take(files.lock, 'DEFERRED');
  db?.close();
  return db === undefined ? readHolder(files.holder) : undefined;
}

/** @returns undefined if another process has it */
function take(file: string, kind: 'EXCLUSIVE' | 'DEFERRED'): DatabaseSync | undefined {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    // Without a journal file. The read takes the lock of a deferred transaction.
    db.exec(`PRAGMA journal_mode = MEMORY; BEGIN ${kind}; SELECT * FROM sqlite_master`);
    return db;
  } catch (error) {
    db.close();
    if (resultCode(error) === BUSY) return undefined;
    throw explainStoreError(error, file);
  }
}

async function readHolder(file: string): Promise<Holder> {
  try {
    return holder.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return {};
  }
}
