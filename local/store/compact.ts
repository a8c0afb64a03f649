// Makes the database of a data directory as small as its content: SQLite keeps the pages of deleted rows for new ones.
// VACUUM writes the content into a temporary file, and through the WAL back, so that a kill at any moment leaves the
// old file or the new one. The database stays the same file, and its transactions keep their count (continuity.ts).
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkReadable, filesOf } from './data-directory.ts';
import { openStoreToRead } from './open-store.ts';
import { explainStoreError, StoreError } from './store-error.ts';
import { lockForWatch } from './watch-lock.ts';

/** In bytes. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/** The temporary file, and the WAL. */
const COPIES = 2;
const LOOK_EVERY_MS = 200;
const MEGABYTE = 1_000_000;

/** In a thread of its own: one statement takes minutes. Its temporary file stands in the directory, which is private. */
const VACUUM = `
const { workerData: { file, directory } } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(file, { timeout: 300_000 });
db.exec("PRAGMA temp_store_directory = '" + directory.replaceAll("'", "''") + "'");
db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
db.close();`;

/**
 * Compacts the database while no `watch` uses it.
 *
 * @param onProgress called with the bytes that are written of about how many
 * @param freeBytes how many the disk of a directory has left
 * @throws StoreError if a `watch` has the directory, it holds no feed, or its disk has too little room
 */
export async function compact(
  directory: string,
  onProgress: (written: number, all: number) => void,
  freeBytes: (directory: string) => Promise<number> = readFree,
): Promise<Compacted> {
  const { database } = filesOf(directory);
  await checkReadable(database);
  const lock = await lockForWatch(directory);
  try {
    // Refuses what is no feed's.
    await (await openStoreToRead(directory)).close();
    const all = COPIES * contentOf(database);
    const free = await freeBytes(directory);
    if (free < all)
      throw new StoreError(
        `To compact ${database} takes ${inMegabytes(all)} on its disk meanwhile, and ${inMegabytes(free)} are free. Free some ` +
          'space, then run this again.',
      );
    const before = statSync(database).size;
    const worker = new Worker(VACUUM, { eval: true, workerData: { file: database, directory } });
    const look = async () => onProgress(Math.max(0, free - (await freeBytes(directory))), all);
    const looking = setInterval(() => look().catch(() => {}), LOOK_EVERY_MS);
    await once(worker, 'exit').finally(() => clearInterval(looking));
    return { before, after: statSync(database).size };
  } catch (error) {
    throw explainStoreError(error, database);
  } finally {
    lock.release();
  }
}

export function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE).toLocaleString('en')} MB`;
}

/** The bytes of the pages in use. */
function contentOf(database: string): number {
  const db = new DatabaseSync(database, { readOnly: true });
  const read = (pragma: string) => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const bytes = (read('page_count') - read('freelist_count')) * read('page_size');
  db.close();
  return bytes;
}

async function readFree(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
