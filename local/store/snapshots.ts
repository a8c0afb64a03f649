// The snapshots, and the events that are saved with them.
import { snapshotBody, snapshotBodyOf } from '../../functions/adapters/snapshot-item.ts';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { Clock, GroupKey, Save, SaveResult, SnapshotStore } from '../../shared/ports.ts';
import { checkSave } from '../../shared/recording/check-save.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { Connection, Sql } from './connection.ts';
import { BODY, isSameBody, parseBody, toJson } from './json-body.ts';
import { insertEvent } from './ledger.ts';
import { columnsOf, keyOf, streamOf, streamsOf } from './schema.ts';

type SourceGeneration = Pick<GroupKey, 'source' | 'generation'>;

/** Rows read at once: no statement stays open while a caller works on its rows. */
const ROWS = 1_000;
/** The first ones of a listing, most of which end after some; then four times as many. */
const FIRST_ROWS = 50;
/** Saves of one transaction: others may want to write meanwhile. */
const SAVES = 200;

export function createSnapshotStore({ read, write }: Connection, clock: Pick<Clock, 'now'>): SnapshotStore {
  return {
    async load(source, groups) {
      const stream = streamOf(source);
      const found = new Map<number, Snapshot>();
      for (const ids of chunked([...new Set(groups)], ROWS)) {
        const rows = await read((sql) => ids.map((id) => sql.get(SELECT, stream, id)));
        for (const row of rows) if (row !== undefined) found.set(Number(row.grp), toSnapshot(source, row));
      }
      return found;
    },

    async save(key, save) {
      const written = prepare(key, save);
      return write((sql) => put(sql, written, clock));
    },

    async saveAll(source, saves) {
      const written = saves.map((save) =>
        prepare({ ...source, group: save.snapshot.groupId }, { ...save, events: [] }),
      );
      const results: SaveResult[] = [];
      for (const some of chunked(written, SAVES))
        results.push(...(await write((sql) => some.map((each) => put(sql, each, clock)))));
      return results;
    },

    async *knownCreatedBetween(source, from, to) {
      const stream = streamOf(source);
      let [createdAt, grp] = [from, Number.NEGATIVE_INFINITY];
      for (let most = FIRST_ROWS; ; most = Math.min(ROWS, 4 * most)) {
        const rows = await read((sql) => sql.all(SELECT_KNOWN, stream, createdAt, grp, to, most));
        for (const row of rows) {
          [createdAt, grp] = [Number(row.created_at), Number(row.grp)];
          yield { groupId: grp, createdAt, digest: row.digest === null ? undefined : String(row.digest) };
        }
        if (rows.length < most) return;
      }
    },
  };
}

/** All snapshots of a source, tombstones and earlier generations included, a part at a time. */
export async function* listSnapshots(
  { read }: Connection,
  source: string,
): AsyncGenerator<readonly StoredSnapshot[]> {
  const [first, end] = streamsOf(source);
  let [stream, grp] = [first, Number.NEGATIVE_INFINITY];
  for (;;) {
    const rows = await read((sql) => sql.all(SELECT_ALL, stream, grp, end, ROWS));
    if (rows.length === 0) return;
    yield rows.map((row) => ({ key: keyOf(row), snapshot: toSnapshot(keyOf(row), row) }));
    [stream, grp] = [String(rows.at(-1)?.stream), Number(rows.at(-1)?.grp)];
  }
}

export interface StoredSnapshot {
  readonly key: GroupKey;
  readonly snapshot: Snapshot;
}

/**
 * The ids of groups whose state has a text, in any case of its ASCII letters, the latest creation first. It reads all
 * states of the source: some 200,000 a second.
 *
 * @param text letters and digits: JSON writes them as they are
 */
export function listMentioning(
  { read }: Connection,
  source: SourceGeneration,
  text: string,
  most: number,
): Promise<number[]> {
  return read((sql) =>
    sql.all(SELECT_MENTIONING, streamOf(source), text, most).map(({ grp }) => Number(grp)),
  );
}

const SELECT = `SELECT grp, version, created_at, digest, ${BODY} FROM snapshots WHERE stream = ? AND grp = ?`;
const SELECT_ALL = `SELECT stream, grp, version, created_at, digest, ${BODY} FROM snapshots
  WHERE (stream, grp) > (?, ?) AND stream < ? ORDER BY stream, grp LIMIT ?`;
const SELECT_KNOWN = `SELECT grp, created_at, digest FROM snapshots WHERE is_removed = 0 AND stream = ?
  AND (created_at, grp) > (?, ?) AND created_at <= ? ORDER BY created_at, grp LIMIT ?`;
const SELECT_MENTIONING = `SELECT grp FROM snapshots WHERE is_removed = 0 AND stream = ?
  AND CAST(body AS TEXT) LIKE '%' || ? || '%' ORDER BY created_at DESC, grp DESC LIMIT ?`;
const INSERT = 'INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
const UPDATE = `UPDATE snapshots SET version = ?, created_at = ?, digest = ?, is_removed = ?, body = ?
  WHERE stream = ? AND grp = ? AND version = ?`;

interface Prepared {
  readonly key: GroupKey;
  readonly save: Save;
  readonly body: Uint8Array;
  /** The body of each event. */
  readonly events: readonly Uint8Array[];
}

function prepare(key: GroupKey, save: Save): Prepared {
  checkSave(key, save);
  return { key, save, body: toJson(snapshotBodyOf(save.snapshot)), events: save.events.map(toJson) };
}

function put(sql: Sql, { key, save, body, events }: Prepared, clock: Pick<Clock, 'now'>): SaveResult {
  const { snapshot, expectedVersion } = save;
  const { version, createdAt, digest = null, removedAt } = snapshot;
  const [stream, grp] = columnsOf(key);
  const isRemoved = removedAt === undefined ? 0 : 1;
  const written =
    expectedVersion === 0
      ? sql.run(INSERT, stream, grp, version, createdAt, digest, isRemoved, body)
      : sql.run(UPDATE, version, createdAt, digest, isRemoved, body, stream, grp, expectedVersion);
  if (written === 0) {
    // An earlier try of this save may have written it, and its events.
    const stored = sql.get(SELECT, stream, grp);
    const isSame = stored?.version === version && isSameBody(stored.body, body);
    return isSame ? 'saved' : 'conflict';
  }
  const savedAt = clock.now();
  const first = snapshot.sequence - events.length + 1;
  for (const [at, event] of events.entries())
    if (!insertEvent(sql, key, first + at, savedAt, event)) throw new Error(describeMismatch(key));
  return 'saved';
}

function describeMismatch(key: GroupKey): string {
  return (
    `The ledger holds an event of group ${formatGroupKey(key)} that its snapshot does not know of: begin a new ` +
    'generation of the source with "npx --no returns-feed sources restore --force".'
  );
}

function toSnapshot(source: SourceGeneration, row: Record<string, unknown>): Snapshot {
  const groupId = Number(row.grp);
  const name = `Snapshot "${formatGroupKey({ ...source, group: groupId })}"`;
  const rest = parseBody(snapshotBody, row.body, name);
  const digest = row.digest === null ? {} : { digest: String(row.digest) };
  return { groupId, version: Number(row.version), createdAt: Number(row.created_at), ...digest, ...rest };
}
