// The returns and events that a destination lacks: those beyond its marks, counted exactly up to a bound.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { admitsEvent } from '../../shared/webhooks/webhook-sender.ts';
import type { Connection, Sql } from './connection.ts';
import { fromJson } from './json-body.ts';
import { CLOCKS_OFF, positionSince } from './ledger.ts';
import { streamOf } from './schema.ts';
import type { Value } from './sqlite.ts';

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

// SQLite merges the two sides of an EXCEPT, which both have an order, in a third of the time of a join.
const SENT = 'FROM marks WHERE destination = ? AND stream = ? AND grp >= 0 AND sequence IS NOT NULL';
const ENDED = 'FROM lasts WHERE stream = ? AND grp >= 0';
/** Groups whose mark is below their last event. */
const BEGUN = `SELECT grp, sequence AS sent ${SENT} EXCEPT SELECT grp, sequence ${ENDED}`;
/** Groups without a mark whose last event is at a position or later. */
const NOT_BEGUN = `SELECT grp ${ENDED} AND position >= ? EXCEPT SELECT grp ${SENT}`;
const BEYOND = 'FROM ledger WHERE stream = ? AND grp = ? AND sequence > ? AND saved_at > ?';
/** Events may be of any year. */
const EVER = -Number.MAX_VALUE;

export function countUnsent({ read }: Connection, at: UnsentAt): Promise<Unsent> {
  return read((sql) => count(sql, at));
}

function count(sql: Sql, { destination, generations, filter, since }: UnsentAt): Unsent {
  const countBeyond = Object.keys(filter).length > 0 ? countAdmitted(filter) : countAll;
  const from = positionSince(sql, since - CLOCKS_OFF);
  const groups = generations.map(streamOf).flatMap((stream) => {
    const begun = sql.all(BEGUN, destination, stream, stream);
    const others = sql.all(NOT_BEGUN, stream, from, destination, stream);
    return [
      ...begun.map(({ grp = 0, sent = 0 }) => [stream, grp, sent, EVER]),
      ...others.map(({ grp = 0 }) => [stream, grp, 0, since]),
    ];
  });
  const unsent = { returns: 0, events: 0, oldest: undefined as Instant | undefined };
  let read = 0;
  for (const group of groups) {
    if (read >= MOST) return { ...unsent, isCut: true };
    const found = countBeyond(sql, group);
    read += found.read;
    if (found.events === 0) continue;
    unsent.returns += 1;
    unsent.events += found.events;
    unsent.oldest = Math.min(unsent.oldest ?? found.oldest, found.oldest);
  }
  return { ...unsent, isCut: false };
}

function countAll(sql: Sql, beyond: readonly Value[]) {
  const row = sql.get(`SELECT count(*) AS events, min(saved_at) AS oldest ${BEYOND}`, ...beyond);
  const events = Number(row?.events);
  return { events, oldest: Number(row?.oldest), read: events };
}

const countAdmitted = (filter: EventFilter) => (sql: Sql, beyond: readonly Value[]) => {
  const rows = sql.all(`SELECT saved_at, body ${BEYOND}`, ...beyond);
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
