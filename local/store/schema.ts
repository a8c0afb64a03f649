// The tables of feed.db, and what shows that a file has them. A group's key stands in two columns: `stream` is `<source>_<generation>`, `grp` the return
// group's id, or one of OWN_GROUPS. Bodies are JSON. Instants that may lie far in the past or future are REAL, which
// holds what a JavaScript number holds.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { FEED_GROUP, type OwnGroup, READ_GROUP } from '../../shared/contract/event-id.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { Sql } from './connection.ts';
import type { DirectoryFiles } from './data-directory.ts';
import { RESTORE, StoreError } from './store-error.ts';

/** 'RCF1', and the number of the format: any other file is refused. */
const APPLICATION_ID = 0x52434631;
const USER_VERSION = 2;

const SCHEMA = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${USER_VERSION};

-- One row. \`commits\` counts the transactions: the file beside the database knows it too. \`expired\` is the position of
-- the last event of a return that expired.
CREATE TABLE feed (identity TEXT NOT NULL, commits INTEGER NOT NULL, expired INTEGER NOT NULL) STRICT;

-- What is read and written as a whole: kind is source, search, endpoint, forwards, start or reader.
CREATE TABLE documents (
  kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, name)
) STRICT;

CREATE TABLE snapshots (
  stream TEXT NOT NULL, grp INTEGER NOT NULL, version INTEGER NOT NULL, created_at REAL NOT NULL, digest TEXT,
  is_removed INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (stream, grp)
) STRICT;
CREATE INDEX known ON snapshots (stream, created_at, grp, digest) WHERE is_removed = 0;

-- One row an event. Positions grow in the order of the commits and are never used twice.
CREATE TABLE ledger (
  position INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, grp INTEGER NOT NULL, sequence INTEGER NOT NULL,
  saved_at REAL NOT NULL, body BLOB NOT NULL, UNIQUE (stream, grp, sequence)
) STRICT;
CREATE INDEX aging ON ledger (saved_at, stream) WHERE grp >= 0;
CREATE INDEX aging_reads ON ledger (saved_at) WHERE grp = -2;

-- The last event that a group ever had, also after it expired.
CREATE TABLE lasts (
  stream TEXT NOT NULL, grp INTEGER NOT NULL, sequence INTEGER NOT NULL, position INTEGER NOT NULL,
  PRIMARY KEY (stream, grp)
) STRICT, WITHOUT ROWID;
CREATE INDEX newest ON lasts (position);
CREATE TRIGGER note_last AFTER INSERT ON ledger BEGIN
  INSERT INTO lasts VALUES (NEW.stream, NEW.grp, NEW.sequence, NEW.position) ON CONFLICT DO UPDATE
    SET sequence = excluded.sequence, position = excluded.position WHERE excluded.sequence > sequence;
END;

CREATE TABLE marks (
  destination TEXT NOT NULL, stream TEXT NOT NULL, grp INTEGER NOT NULL, sequence INTEGER, behind TEXT,
  failing_since REAL, content_since REAL, rejected_until REAL, PRIMARY KEY (destination, stream, grp)
) STRICT, WITHOUT ROWID;
CREATE INDEX behind ON marks (destination, stream, grp) WHERE behind IS NOT NULL;
-- A mark beyond the last event would hide the events that come there. Fires also before an upsert updates a row.
CREATE TRIGGER mark_within_ledger BEFORE INSERT ON marks
  WHEN NEW.sequence > coalesce((SELECT sequence FROM lasts WHERE stream = NEW.stream AND grp = NEW.grp), 0)
  BEGIN SELECT RAISE(ABORT, 'a mark beyond the last event of its group'); END;
`;

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
      sql.run('INSERT INTO feed VALUES (?, 0, 0)', newIdentity());
    }
    sql.exec('COMMIT');
  } catch (error) {
    sql.exec('ROLLBACK');
    throw error;
  }
}

/** @throws as {@link createTables} */
export function hasTables(sql: Sql, { database, seen: seenFile }: DirectoryFiles): boolean {
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

/** Another identity makes a database another place, whose sources need a new generation. */
export function newIdentity(): string {
  return randomBytes(16).toString('base64url');
}

const OWN_GROUPS: Readonly<Record<OwnGroup, number>> = { [FEED_GROUP]: -1, [READ_GROUP]: -2 };

export function streamOf({ source, generation }: Pick<GroupKey, 'source' | 'generation'>): string {
  return `${source}_${generation}`;
}

/** The values of `stream` and `grp`. */
export function columnsOf(key: GroupKey): [stream: string, grp: number] {
  return [streamOf(key), typeof key.group === 'number' ? key.group : OWN_GROUPS[key.group]];
}

export function keyOf({ stream, grp }: Record<string, unknown>): GroupKey {
  const [source = '', generation = ''] = String(stream).split('_');
  const group = grp === -1 ? FEED_GROUP : grp === -2 ? READ_GROUP : Number(grp);
  return { source, generation, group };
}

/** The bounds of a source's streams: `from <= stream AND stream < to`. No name of a source has an underscore. */
export function streamsOf(source: string): [from: string, to: string] {
  return [`${source}_`, `${source}\``];
}
