// Notices that feed.db is not what it was: emptied, without its WAL, an older copy, or in a copied directory. To go on
// would give the numbers of published events to other events. So a small file beside it, feed.seen, keeps the
// database's identity, which file it is, and how many transactions it has had. A database that does not fit gets a new
// identity, and each of its sources then stops until it has a new generation (`sources restore`). An older copy that
// brings its own feed.seen, written over both files in place, can't be noticed.
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import * as z from 'zod';
import type { Sql } from './connection.ts';
import { codeOf, type DirectoryFiles, identifyFile } from './data-directory.ts';
import { newIdentity } from './schema.ts';
import { LostDatabaseError, StoreError } from './store-error.ts';

const seen = z.object({ identity: z.string(), file: z.string(), commits: z.int() });
type Seen = z.output<typeof seen>;

const CONSEQUENCE =
  'So that no number is used twice, its sources go on only after "returns-feed sources restore".';

/** Each write replaces the whole content. */
const SEEN_BYTES = 160;

export interface Continuity {
  /** Messages for operators. */
  readonly notices: readonly string[];
  /** Counts a transaction, within it. @throws LostDatabaseError if the database is in its place no more */
  count(sql: Sql): void;
  /** Notes the transactions that were counted, after their commit. */
  note(): void;
  close(): void;
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
export function checkContinuity(sql: Sql, files: DirectoryFiles): Continuity {
  const file = identifyFile(files.database);
  // The note is read before the database: all that it names was committed by then.
  let known = readSeen(files.seen);
  let difference = differenceOf(known, readFeed(sql), file, files);
  if (difference !== undefined) {
    sql.exec('BEGIN IMMEDIATE');
    known = readSeen(files.seen);
    const stored = readFeed(sql);
    difference = differenceOf(known, stored, file, files);
    if (difference !== undefined) {
      const commits = Math.max(stored.commits, known?.commits ?? 0);
      sql.run('UPDATE feed SET identity = ?, commits = ?', newIdentity(), commits);
    }
    sql.exec('COMMIT');
  }
  const feed = readFeed(sql);
  const descriptor = openSeen(files.seen);
  let { commits } = feed;
  const write = () => {
    const text = `${JSON.stringify({ ...feed, file, commits } satisfies Seen).padEnd(SEEN_BYTES - 1)}\n`;
    writeSync(descriptor, text, 0);
  };
  if (known === undefined || difference !== undefined) {
    write();
    fsyncSync(descriptor);
  }
  const notices = difference === undefined ? [] : [`${difference} ${CONSEQUENCE}`];
  return {
    notices,
    count(sql) {
      if (identifyFile(files.database) !== file)
        throw new LostDatabaseError(
          `${files.database} was deleted, moved or replaced while this process used it. Start again, with the new ` +
            'path if it was moved.',
        );
      commits = Number(sql.get('UPDATE feed SET commits = commits + 1 RETURNING commits')?.commits);
    },
    note() {
      try {
        write();
      } catch {
        // The transactions are safe. Without a note, only their loss would go unnoticed.
      }
    },
    close: () => closeSync(descriptor),
  };
}

/** As {@link checkContinuity}, without writing: a database that does not fit has a new identity for this process alone. */
export function compareContinuity(sql: Sql, files: DirectoryFiles) {
  const known = readSeen(files.seen);
  const stored = readFeed(sql);
  const difference = differenceOf(known, stored, identifyFile(files.database), files);
  if (difference === undefined) return { identity: stored.identity, notices: [] };
  return { identity: newIdentity(), notices: [`${difference} ${CONSEQUENCE}`] };
}

export function readIdentity(sql: Sql): string {
  return readFeed(sql).identity;
}

function readFeed(sql: Sql): Pick<Seen, 'identity' | 'commits'> {
  const row = sql.get('SELECT identity, commits FROM feed');
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
