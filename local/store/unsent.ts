// The returns and events that a destination lacks: those beyond its marks, counted exactly.
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

/** With a filter events are read, which takes a tenth of a second for as many. */
const MOST_READ = 10_000;

const GROUPS = `SELECT lasts.stream, lasts.grp, marks.sequence AS sent FROM lasts
  LEFT JOIN marks ON marks.destination = ? AND marks.stream = lasts.stream AND marks.grp = lasts.grp
  WHERE lasts.stream = ? AND lasts.grp >= 0 AND lasts.sequence > coalesce(marks.sequence, 0)
    AND (lasts.position >= ? OR marks.sequence IS NOT NULL)`;
const BEYOND = 'FROM ledger WHERE stream = ? AND grp = ? AND sequence > ? AND saved_at > ?';
/** Events may be of any year. */
const EVER = -Number.MAX_VALUE;

export function countUnsent({ read }: Connection, at: UnsentAt): Promise<Unsent> {
  return read((sql) => count(sql, at));
}

function count(sql: Sql, { destination, generations, filter, since }: UnsentAt): Unsent {
  const countBeyond = Object.keys(filter).length > 0 ? countAdmitted(filter) : countAll;
  const from = positionSince(sql, since - CLOCKS_OFF);
  const groups = generations.flatMap((each) => sql.all(GROUPS, destination, streamOf(each), from));
  const unsent = { returns: 0, events: 0, oldest: undefined as Instant | undefined };
  let read = 0;
  for (const { stream, grp, sent } of groups) {
    if (read >= MOST_READ) return { ...unsent, isCut: true };
    const found = countBeyond(sql, [stream ?? '', grp ?? 0, sent ?? 0, sent === null ? since : EVER]);
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
  return { events: Number(row?.events), oldest: Number(row?.oldest), read: 0 };
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
