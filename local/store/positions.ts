// The events of all return groups in the order of their commits, for the pull feed.
import { toLedgerEntry } from '../../functions/adapters/ledger-item.ts';
import { UnreadableItemError } from '../../functions/adapters/stored-format.ts';
import type { PositionedEvent, Positions } from '../../shared/pulling/positions.ts';
import type { CountedPositions } from '../../shared/pulling/unread.ts';
import type { Connection } from './connection.ts';
import { BODY, fromJson } from './json-body.ts';
import { expiredPosition, newestPosition } from './ledger.ts';
import type { News } from './news.ts';
import { keyOf } from './schema.ts';

const SELECT = `SELECT position, stream, grp, sequence, ${BODY} FROM ledger NOT INDEXED WHERE position > ? AND grp >= 0
  ORDER BY position LIMIT ?`;

/** Events that are counted: more take longer than anybody waits for a number. */
const MOST = 10_000;
const BEYOND = `SELECT count(*) AS count, min(saved_at) AS since FROM (SELECT saved_at FROM ledger NOT INDEXED
  WHERE position > ? AND grp >= 0 ORDER BY position LIMIT ${MOST})`;

export function createPositions(
  { read }: Connection,
  epoch: Positions['epoch'],
  { onCommit }: Pick<News, 'onCommit'>,
): Positions & CountedPositions {
  return {
    epoch,
    read: (after, limit) =>
      read((sql) => {
        if (after < expiredPosition(sql)) return 'expired';
        const rows = sql.all(SELECT, after, limit);
        // Behind the last event of a return there may be the feed's own.
        const last =
          rows.length < limit ? Math.max(after, newestPosition(sql)) : Number(rows.at(-1)?.position);
        return { events: rows.map(toEvent), last };
      }),
    newest: () => read(newestPosition),
    expired: () => read(expiredPosition),
    beyond: (after) =>
      read((sql) => {
        if (after < expiredPosition(sql)) return 'expired';
        const row = sql.get(BEYOND, after);
        const count = Number(row?.count);
        return { count, isCut: count === MOST, since: count === 0 ? undefined : Number(row?.since) };
      }),
    async change(signal) {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const unlisten = onCommit(() => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise.finally(unlisten);
    },
  };
}

/** @throws UnreadableItemError: a reader must not miss an event in silence */
function toEvent(row: Record<string, unknown>): PositionedEvent {
  const entry = toLedgerEntry(fromJson(row.body, 'The event'), keyOf(row), Number(row.sequence));
  if ('event' in entry) return { position: Number(row.position), event: entry.event };
  throw new UnreadableItemError(`The event at position ${row.position} can't be read: ${entry.undecodable}`);
}
