// The returns and events that a destination lacks: those beyond its marks, counted exactly up to a bound.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { admitsEvent } from '../../shared/webhooks/webhook-sender.ts';
import type { Connection, Sql } from './connection.ts';
import { BODY, fromJson } from './json-body.ts';
import { CLOCKS_OFF, newestPosition, positionSince } from './ledger.ts';
import { streamOf } from './schema.ts';
import type { Row, Value } from './sqlite.ts';

/** The returns and events that a destination lacks. */
export interface Unsent {
  readonly returns: number;
  /** Null if unknown. */
  readonly events: number | null;
  /** Whether there may be more than these. */
  readonly isCut: boolean;
  /** When the first of them was saved. */
  readonly oldest: Instant | undefined;
}

export interface UnsentAt {
  readonly destination: string;
  readonly generations: readonly Pick<GroupKey, 'source' | 'generation'>[];
  readonly filter: EventFilter;
  /** Of returns without a mark, only events that were saved later. */
  readonly since: Instant;
}

/** Events that are counted: more take longer than anybody waits for a number. */
const MOST = 10_000;
/** Groups that are read at once. */
const ROWS = 1_000;

// SQLite merges the two sides of an EXCEPT, which both have an order, in a third of the time of a join.
const SENT = 'FROM marks WHERE destination = ?1 AND stream = ?2 AND grp > ?3 AND sequence IS NOT NULL';
const ENDED = 'FROM lasts WHERE stream = ?2 AND grp > ?3';
/** Groups whose mark is below their last event. */
const BEGUN = `SELECT grp, sequence AS sent ${SENT} EXCEPT SELECT grp, sequence ${ENDED} ORDER BY grp LIMIT ${ROWS}`;
/** Groups without a mark whose last event is at a position or later. */
const NOT_BEGUN = `SELECT grp ${ENDED} AND position >= ?4 EXCEPT SELECT grp ${SENT} ORDER BY grp LIMIT ${ROWS}`;
const CHANGED = 'SELECT grp FROM lasts INDEXED BY newest WHERE position > ? AND stream = ? AND grp >= 0';
const ONE = `SELECT lasts.grp, marks.sequence AS sent FROM lasts
  LEFT JOIN marks ON marks.destination = ?1 AND marks.stream = ?2 AND marks.grp = ?3
  WHERE lasts.stream = ?2 AND lasts.grp = ?3 AND lasts.sequence > coalesce(marks.sequence, 0)
    AND (lasts.position >= ?4 OR marks.sequence IS NOT NULL)`;
const BEYOND = 'FROM ledger WHERE stream = ? AND grp = ? AND sequence > ? AND saved_at > ?';
/** Events may be of any year. */
const EVER = -Number.MAX_VALUE;

/** The groups of a stream with events that a destination lacked when the ledger ended at a position. */
interface Known {
  readonly position: number;
  readonly groups: ReadonlySet<number>;
}

/** Counts what destinations lack: at first of all groups, then of those that lacked events or have new ones. */
export function createUnsentCounter({ read }: Connection): (at: UnsentAt) => Promise<Unsent> {
  const known = new Map<string, Known>();
  return (at) => read((sql) => count(sql, at, known));
}

function count(sql: Sql, at: UnsentAt, known: Map<string, Known>): Unsent {
  const { destination, generations, filter, since } = at;
  const countBeyond = Object.keys(filter).length > 0 ? countAdmitted(filter) : countAll;
  const from = positionSince(sql, since - CLOCKS_OFF);
  const unsent = { returns: 0, events: 0, oldest: undefined as Instant | undefined };
  let read = 0;
  for (const stream of generations.map(streamOf)) {
    // A destination that begins anew under its name has another beginning.
    const name = `${destination} ${stream} ${since}`;
    const [position, groups] = [newestPosition(sql), new Set<number>()];
    for (const { grp, sent } of groupsLacking(sql, destination, stream, from, known.get(name))) {
      if (read >= MOST) return { ...unsent, isCut: true };
      groups.add(grp);
      const found = countBeyond(sql, [stream, grp, sent ?? 0, sent === undefined ? since : EVER]);
      read += found.read;
      if (found.events === 0) continue;
      unsent.returns += 1;
      unsent.events += found.events;
      unsent.oldest = Math.min(unsent.oldest ?? found.oldest, found.oldest);
    }
    known.set(name, { position, groups });
  }
  return { ...unsent, isCut: false };
}

interface LackingGroup {
  readonly grp: number;
  /** Undefined without a mark. */
  readonly sent: number | undefined;
}

/** @param from the position from which on groups without a mark count */
function* groupsLacking(
  sql: Sql,
  destination: string,
  stream: string,
  from: number,
  known: Known | undefined,
): Generator<LackingGroup> {
  if (known === undefined) {
    for (const query of [BEGUN, NOT_BEGUN]) yield* allPages(sql, query, destination, stream, from);
    return;
  }
  // Marks never move back, so that no other group can lack an event.
  const changed = sql.all(CHANGED, known.position, stream).map(({ grp }) => Number(grp));
  for (const grp of new Set([...known.groups, ...changed])) {
    const row = sql.get(ONE, destination, stream, grp, from);
    if (row !== undefined) yield toLacking(row);
  }
}

function* allPages(
  sql: Sql,
  query: string,
  destination: string,
  stream: string,
  from: number,
): Generator<LackingGroup> {
  for (let after = -1; ; ) {
    const rows = sql.all(query, destination, stream, after, ...(query === NOT_BEGUN ? [from] : []));
    for (const row of rows) yield toLacking(row);
    if (rows.length < ROWS) return;
    after = Number(rows.at(-1)?.grp);
  }
}

function toLacking({ grp, sent }: Row): LackingGroup {
  return { grp: Number(grp), sent: sent === null || sent === undefined ? undefined : Number(sent) };
}

function countAll(sql: Sql, beyond: readonly Value[]) {
  const row = sql.get(`SELECT count(*) AS events, min(saved_at) AS oldest ${BEYOND}`, ...beyond);
  const events = Number(row?.events);
  return { events, oldest: Number(row?.oldest), read: events };
}

const countAdmitted = (filter: EventFilter) => (sql: Sql, beyond: readonly Value[]) => {
  const rows = sql.all(`SELECT saved_at, ${BODY} ${BEYOND}`, ...beyond);
  const admitted = rows.filter(({ body }) => admits(filter, body)).map(({ saved_at: at }) => Number(at));
  return { events: admitted.length, oldest: Math.min(...admitted), read: rows.length };
};

/** An event that can't be read stops its return, whatever it was. */
function admits(filter: EventFilter, body: unknown): boolean {
  try {
    return admitsEvent(filter, fromJson(body, 'The event') as FeedEvent);
  } catch {
    return true;
  }
}
