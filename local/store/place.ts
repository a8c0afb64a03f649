// Notices that feed.db is not what it was: emptied, without its WAL, an older copy, or in a copied directory. To go on
// would give the numbers of published events to other events. So a small file beside it, feed.seen, keeps the
// database's identity, which file it is, and how many transactions it has had. A database that does not fit gets a new
// identity, and each of its sources then stops until it has a new generation (`sources restore`).
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import * as z from 'zod';
import type { Sql } from './connection.ts';
import { codeOf, type DirectoryFiles } from './data-directory.ts';
import { APPLICATION_ID, SCHEMA, USER_VERSION } from './schema.ts';
import { RESTORE, StoreError } from './store-error.ts';

const seen = z.object({ identity: z.string(), file: z.string(), commits: z.int() });
type Seen = z.output<typeof seen>;

/** Each write replaces the whole content. */
const SEEN_BYTES = 160;

export interface Place {
  /** What operators should know. */
  readonly notices: readonly string[];
  /** Counts a transaction, within it. @throws StoreError if the database is in its place no more */
  count(sql: Sql): void;
  /** Notes the transactions that were counted, after their commit. */
  note(): void;
  close(): void;
}

/**
 * Creates the tables in an empty database that was never used.
 *
 * @throws StoreError if it is another program's or another release's, or if its content is gone
 */
export function createTables(sql: Sql, files: DirectoryFiles): void {
  if (hasTables(sql, files)) return;
  sql.exec('BEGIN IMMEDIATE');
  try {
    if (!hasTables(sql, files)) {
      sql.exec(SCHEMA);
      sql.run('INSERT INTO place VALUES (?, 0)', newIdentity());
    }
    sql.exec('COMMIT');
  } catch (error) {
    sql.exec('ROLLBACK');
    throw error;
  }
}

function hasTables(sql: Sql, { database, seen: seenFile }: DirectoryFiles): boolean {
  const application = Number(sql.get('PRAGMA application_id')?.application_id);
  const version = Number(sql.get('PRAGMA user_version')?.user_version);
  if (application === APPLICATION_ID && version === USER_VERSION) return true;
  if (application === APPLICATION_ID)
    throw new StoreError(
      `${database} has format ${version}, and this release uses format ${USER_VERSION}: run the release that ` +
        'wrote it, or begin anew in an empty directory.',
    );
  if (application !== 0 || sql.get('SELECT 1 FROM sqlite_master LIMIT 1') !== undefined)
    throw new StoreError(`${database} is another program's. Move it away, or name another directory.`);
  if (existsSync(seenFile))
    throw new StoreError(`${database} is empty, but a feed was kept there. ${RESTORE}`);
  return false;
}

/**
 * Refuses a database in whose place there was another one, which has left its WAL: SQLite would mix the two.
 *
 * @throws StoreError
 */
export function refuseOtherWal({ database, seen: seenFile }: DirectoryFiles): void {
  const known = readSeen(seenFile);
  const wal = `${database}-wal`;
  if (known === undefined || known.file === identifyFile(database)) return;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new StoreError(
    `${database} is another file than before, and the ${wal} of the former one would damage it. Delete ${wal} and ` +
      `${database}-shm, then run this again.`,
  );
}

/** Compares the database with what was seen of it, and gives it a new identity if that does not fit. */
export function openPlace(sql: Sql, files: DirectoryFiles): Place {
  const file = identifyFile(files.database);
  const notices: string[] = [];
  // Read first: whatever it says was committed before.
  let known = readSeen(files.seen);
  if (differenceOf(known, readPlace(sql), file, files) !== undefined) {
    sql.exec('BEGIN IMMEDIATE');
    known = readSeen(files.seen);
    const stored = readPlace(sql);
    const difference = differenceOf(known, stored, file, files);
    if (difference !== undefined) {
      notices.push(
        `${difference} So that no number is used twice, its sources go on only after "returns-feed sources restore".`,
      );
      const commits = Math.max(stored.commits, known?.commits ?? 0);
      sql.run('UPDATE place SET identity = ?, commits = ?', newIdentity(), commits);
    }
    sql.exec('COMMIT');
  }
  const place = readPlace(sql);
  const descriptor = openSeen(files.seen);
  let { commits } = place;
  const write = () => {
    const text = `${JSON.stringify({ ...place, file, commits } satisfies Seen).padEnd(SEEN_BYTES - 1)}\n`;
    writeSync(descriptor, text, 0);
  };
  write();
  fsyncSync(descriptor);
  return {
    notices,
    count(sql) {
      if (identifyFile(files.database) !== file)
        throw new StoreError(
          `${files.database} was deleted, moved or replaced while this process used it. Start again, with the new ` +
            'path if it was moved.',
        );
      commits = Number(sql.get('UPDATE place SET commits = commits + 1 RETURNING commits')?.commits);
    },
    note() {
      try {
        write();
      } catch {
        // The transactions are safe. What is not noted is only not noticed if it gets lost.
      }
    },
    close: () => closeSync(descriptor),
  };
}

export function readIdentity(sql: Sql): string {
  return readPlace(sql).identity;
}

function readPlace(sql: Sql): Pick<Seen, 'identity' | 'commits'> {
  const row = sql.get('SELECT identity, commits FROM place');
  return { identity: String(row?.identity), commits: Number(row?.commits) };
}

/** Why the database is not the one that was seen, in a sentence; undefined if it is. */
function differenceOf(
  known: Seen | undefined,
  { identity, commits }: Pick<Seen, 'identity' | 'commits'>,
  file: string,
  files: DirectoryFiles,
): string | undefined {
  if (known === undefined)
    return commits === 0
      ? undefined
      : `${files.seen} is missing or damaged, so ${files.database} may be a copy.`;
  if (known.identity !== identity || known.file !== file)
    return `${files.database} is a copy, or another file than before.`;
  if (known.commits <= commits) return undefined;
  return `${files.database} lacks the last ${known.commits - commits} changes: its -wal file is lost, or it is older.`;
}

function readSeen(path: string): Seen | undefined {
  try {
    return seen.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw error;
    return undefined;
  }
}

function openSeen(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return openSync(path, 'r+');
  }
}

/** A copy has another inode, or another time of birth. The number of the device may change when a machine starts. */
function identifyFile(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.birthtimeNs}`;
}

function newIdentity(): string {
  return randomBytes(16).toString('base64url');
}
