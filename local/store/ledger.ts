// The events. One row each; the last number of every group is kept beside them, also when the event is gone.
import { setImmediate } from 'node:timers/promises';
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import { toLedgerEntry } from '../../functions/adapters/ledger-item.ts';
import { DAY, HOUR, type Instant, MINUTE, parseStamp } from '../../shared/instant.ts';
import { LEDGER_RETENTION, READ_RETENTION } from '../../shared/limits.ts';
import type { Clock, GroupKey, Lacking, Ledger, LedgerEntry, LedgerEraser } from '../../shared/ports.ts';
import { type Connection, emptyWal, type Sql } from './connection.ts';
import { BODY, fromJson, isSameBody, toJson } from './json-body.ts';
import { columnsOf, keyOf, streamOf } from './schema.ts';

/** Groups read at once. No statement stays open while a caller works on them, and other work has its turn between. */
const GROUPS = 200;

export function createLedger({ read, write }: Connection, clock: Pick<Clock, 'now'>): Ledger {
  return {
    read: (key, after, limit) =>
      read((sql) => sql.all(SELECT, ...columnsOf(key), after, limit).map((row) => toEntry(row, key))),

    async append(key, event) {
      const { sequence } = event.data;
      const body = toJson(event);
      return write((sql) => {
        if (insertEvent(sql, key, sequence, clock.now(), body)) return 'saved';
        const stored = sql.get(SELECT, ...columnsOf(key), sequence - 1, 1);
        // An earlier try may have added this event.
        return isSameBody(stored?.body, body) ? 'saved' : 'conflict';
      });
    },

    async *groups({ destination = '', since = Number.NEGATIVE_INFINITY }: Partial<Lacking> = {}) {
      let [stream, grp] = ['', 0];
      const from = await read((sql) => positionSince(sql, since - CLOCKS_OFF));
      for (;;) {
        const rows = await read((sql) => sql.all(SELECT_LACKING, destination, stream, grp, from, GROUPS));
        for (const row of rows) {
          [stream, grp] = [String(row.stream), Number(row.grp)];
          if (row.is_there === 1) yield { key: keyOf(row), last: Number(row.sequence) };
        }
        if (rows.length < GROUPS) return;
        await setImmediate();
      }
    },
  };
}

const SELECT = `SELECT sequence, ${BODY} FROM ledger WHERE stream = ? AND grp = ? AND sequence > ?
  ORDER BY sequence LIMIT ?`;
/** The last event of a group is the last to expire. No destination has the empty name, so it lacks all groups. */
const SELECT_LACKING = `SELECT lasts.stream, lasts.grp, lasts.sequence,
  EXISTS (SELECT 1 FROM ledger WHERE position = lasts.position) AS is_there FROM lasts
  LEFT JOIN marks ON marks.destination = ? AND marks.stream = lasts.stream AND marks.grp = lasts.grp
  WHERE (lasts.stream, lasts.grp) > (?, ?) AND lasts.sequence > coalesce(marks.sequence, 0)
    AND (lasts.position >= ? OR marks.sequence IS NOT NULL)
  ORDER BY lasts.stream, lasts.grp LIMIT ?`;
/** A clock may have been set back between two events. */
export const CLOCKS_OFF: number = HOUR;

/** The position of the first event of a return that was saved at a moment or later; 0 for the beginning. */
export function positionSince(sql: Sql, since: Instant): number {
  if (since === Number.NEGATIVE_INFINITY) return 0;
  const later =
    'SELECT position FROM ledger INDEXED BY aging WHERE grp >= 0 AND saved_at >= ? ORDER BY saved_at';
  return Number(sql.get(`${later} LIMIT 1`, since)?.position ?? newestPosition(sql) + 1);
}

const INSERT = `INSERT INTO ledger (stream, grp, sequence, saved_at, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;

/** @returns false if the number is taken */
export function insertEvent(
  sql: Sql,
  key: GroupKey,
  sequence: number,
  savedAt: Instant,
  body: Uint8Array,
): boolean {
  return sql.run(INSERT, ...columnsOf(key), sequence, savedAt, body) === 1;
}

export function createLedgerEraser({ read, write }: Connection): LedgerEraser {
  const sql = 'DELETE FROM ledger WHERE stream = ? AND grp = ? AND sequence <= ?';
  return {
    async erase(key, through) {
      const erased = await write(({ run }) => run(sql, ...columnsOf(key), through));
      await read(emptyWal);
      return erased;
    },
  };
}

function toEntry({ sequence, body }: Record<string, unknown>, key: GroupKey): LedgerEntry {
  const number = Number(sequence);
  try {
    return toLedgerEntry(fromJson(body, 'The event'), key, number);
  } catch (error) {
    return { sequence: number, undecodable: (error as Error).message };
  }
}

/** The groups with events after a position, in the order of their last one, each with the number of its first one. */
export function readNews(
  sql: Sql,
  after: number,
): { readonly groups: { readonly key: GroupKey; readonly first: number }[]; readonly position: number } {
  const rows = sql.all(
    // Else SQLite reads a whole index, in the order of its groups.
    `SELECT stream, grp, min(sequence) AS first, max(position) AS last FROM ledger NOT INDEXED WHERE position > ?
      GROUP BY stream, grp ORDER BY last`,
    after,
  );
  const groups = rows.map((row) => ({ key: keyOf(row), first: Number(row.first) }));
  return { groups, position: Number(rows.at(-1)?.last ?? after) };
}

const MOST_FORMER = 20;
const SELECT_FORMER = `SELECT grp FROM ledger WHERE stream = ? AND grp >= 0
  AND CAST(body AS TEXT) LIKE ? ESCAPE '!' GROUP BY grp ORDER BY max(position) DESC LIMIT ${MOST_FORMER}`;

/** The ids of groups with an event that has a tracking number, in any letter case, the latest event first. */
export function listFormerly(
  { read }: Connection,
  source: Pick<GroupKey, 'source' | 'generation'>,
  trackingNumber: string,
): Promise<number[]> {
  const inJson = `"tracking_number":${JSON.stringify(trackingNumber)}`;
  const pattern = `%${inJson.replaceAll(/[!%_]/g, '!$&')}%`;
  return read((sql) => sql.all(SELECT_FORMER, streamOf(source), pattern).map(({ grp }) => Number(grp)));
}

const RECENT_GROUPS = 50;
/** Groups that are read for all sources together, a part at a time. */
const [MOST_RECENT, RECENT_AT_ONCE] = [5_000, 1_000];

const SELECT_RECENT = `SELECT lasts.stream, lasts.grp, lasts.sequence, lasts.position, ledger.saved_at
  FROM lasts INDEXED BY newest CROSS JOIN ledger ON ledger.position = lasts.position
  WHERE lasts.position < ? AND lasts.grp <> -2 ORDER BY lasts.position DESC LIMIT ${RECENT_AT_ONCE}`;
const SELECT_MINUTES = `SELECT stream, CAST(saved_at / ${MINUTE} AS INTEGER) AS minute, count(*) AS events
  FROM ledger INDEXED BY aging WHERE grp >= 0 AND saved_at > ? GROUP BY 2, 1 ORDER BY 2 DESC`;

/**
 * What changed last of each source: {@link Activity}, without its generation. The reads are bounded however many sources
 * there are, so that of a source that is quiet among busy ones nothing may be known.
 */
export function readActivities(
  { read }: Connection,
  sources: readonly string[],
): Promise<ReadonlyMap<string, Activity>> {
  return read((sql) => {
    const found = new Map(sources.map((source) => [source, { minutes: [], recent: [] } as Activity]));
    const newest = readRecent(sql, found);
    if (newest === undefined) return new Map();
    for (const row of sql.all(SELECT_MINUTES, newest - HOUR))
      found
        .get(keyOf({ ...row, grp: 0 }).source)
        ?.minutes.push({ from: Number(row.minute) * MINUTE, events: Number(row.events) });
    return new Map([...found].filter(([, { recent }]) => recent.length > 0));
  });
}

/** Adds the groups that changed last. @returns when the newest was saved */
function readRecent(sql: Sql, found: ReadonlyMap<string, Activity>): Instant | undefined {
  let [newest, missing]: [Instant | undefined, number] = [undefined, found.size];
  let before = Number.MAX_SAFE_INTEGER;
  for (let count = 0; count < MOST_RECENT && missing > 0; count += RECENT_AT_ONCE) {
    const rows = sql.all(SELECT_RECENT, before);
    for (const row of rows) {
      const { source, group } = keyOf(row);
      const recent = found.get(source)?.recent;
      if (recent === undefined || recent.length === RECENT_GROUPS) continue;
      const savedAt = Number(row.saved_at);
      newest ??= savedAt;
      recent.push({ group, sequence: Number(row.sequence), savedAt });
      if (recent.length === RECENT_GROUPS) missing -= 1;
    }
    before = Number(rows.at(-1)?.position);
    if (rows.length < RECENT_AT_ONCE) break;
  }
  return newest;
}

/** Events deleted in one transaction. */
const DELETIONS = 2_000;

/**
 * Deletes what is older than the retention, by the clock. A clock that is ahead must not delete what is still needed,
 * so events of return groups expire by the newest one's own time at the latest, and a day.
 *
 * @returns whether more is due
 */
export function deleteExpired(sql: Sql, now: Instant): boolean {
  const due = 'SELECT position FROM ledger WHERE saved_at < ? AND';
  const reads = sql.run(
    `DELETE FROM ledger WHERE position IN (${due} grp = -2 LIMIT ${DELETIONS})`,
    now - READ_RETENTION,
  );
  if (sql.get(`${due} grp >= 0 LIMIT 1`, now - LEDGER_RETENTION) === undefined) return reads === DELETIONS;
  const newest = sql.get(`SELECT ${BODY} FROM ledger WHERE grp >= 0 ORDER BY position DESC LIMIT 1`);
  const latest = Math.min(now, timeOf(newest?.body) + DAY);
  const events = sql.all(
    `DELETE FROM ledger WHERE position IN (${due} grp >= 0 LIMIT ${DELETIONS}) RETURNING position`,
    latest - LEDGER_RETENTION,
  );
  const last = events.reduce((most, { position }) => Math.max(most, Number(position)), 0);
  sql.run('UPDATE feed SET expired = max(expired, ?)', last);
  return reads === DELETIONS || events.length === DELETIONS;
}

/** The time of an event by the service's clock; 0 if it can't be read. */
function timeOf(body: unknown): Instant {
  try {
    const { time } = fromJson(body, 'The event') as { readonly time: string };
    return parseStamp(time)?.instant ?? 0;
  } catch {
    return 0;
  }
}

/** The position of the last event of a return that expired; 0 if none has. */
export function expiredPosition(sql: Sql): number {
  return Number(sql.get('SELECT expired FROM feed')?.expired);
}

export function newestPosition(sql: Sql): number {
  return Number(sql.get('SELECT max(position) AS position FROM lasts')?.position ?? 0);
}
