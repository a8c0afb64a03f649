// The tables of feed.db. A group's key stands in two columns: `stream` is `<source>_<generation>`, `grp` the return
// group's id, or one of OWN_GROUPS. Bodies are JSON. Instants that may lie far in the past or future are REAL, which
// holds what a JavaScript number holds.
import { FEED_GROUP, type OwnGroup, READ_GROUP } from '../../shared/contract/event-id.ts';
import type { GroupKey } from '../../shared/ports.ts';

/** 'RCF1', and the number of the format: any other file is refused. */
export const APPLICATION_ID = 0x52434631;
export const USER_VERSION = 1;

export const SCHEMA = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${USER_VERSION};

-- One row. \`commits\` counts the transactions: the file beside the database knows it too.
CREATE TABLE place (identity TEXT NOT NULL, commits INTEGER NOT NULL) STRICT;

-- What is read and written as a whole: kind is source, search, endpoint or test.
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

/** The bounds of a source's streams: \`from <= stream AND stream < to\`. No name of a source has an underscore. */
export function streamsOf(source: string): [from: string, to: string] {
  return [`${source}_`, `${source}\``];
}
