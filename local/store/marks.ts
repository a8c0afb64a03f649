// How far each destination got with each group. The database refuses a mark beyond the group's last event.
import type { BehindGroup, Mark } from '../../functions/adapters/dynamodb-behind.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import type { Connection } from './connection.ts';
import { columnsOf, keyOf, streamsOf } from './schema.ts';
import type { Row } from './sqlite.ts';

const SELECT = 'SELECT * FROM marks WHERE destination = ? AND stream = ? AND grp = ?';
const NO_NOTES = 'behind = NULL, failing_since = NULL, content_since = NULL, rejected_until = NULL';

export function createMarks({ read, write }: Connection): WebhookMarks {
  const load = (destination: string, key: GroupKey) =>
    read((sql) => sql.get(SELECT, destination, ...columnsOf(key)));

  return {
    load: async (destination, key) => numberOf((await load(destination, key))?.sequence),

    advance: (destination, key, sequence) =>
      write(
        (sql) =>
          sql.run(
            `INSERT INTO marks (destination, stream, grp, sequence) VALUES (?, ?, ?, ?)
              ON CONFLICT DO UPDATE SET sequence = excluded.sequence, ${NO_NOTES}
              WHERE sequence IS NULL OR sequence < excluded.sequence`,
            destination,
            ...columnsOf(key),
            sequence,
          ) === 1,
      ),

    noteBehind: (destination, key, stop) =>
      write((sql) => {
        const row = [destination, ...columnsOf(key)] as const;
        if (stop === undefined) {
          const where = 'destination = ? AND stream = ? AND grp = ? AND behind IS NOT NULL';
          return sql.run(`UPDATE marks SET ${NO_NOTES} WHERE ${where}`, ...row) === 1;
        }
        const note = `INSERT INTO marks (destination, stream, grp, behind) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET behind = excluded.behind WHERE sequence IS NULL OR sequence < ?`;
        return sql.run(note, ...row, `${stop.sequence}: ${stop.reason}`, stop.sequence) === 1;
      }),

    async position(webhook, key) {
      const row = await load(webhook, key);
      return {
        sequence: numberOf(row?.sequence),
        failingSince: numberOf(row?.failing_since),
        rejectedUntil: numberOf(row?.rejected_until),
      };
    },

    noteFailing: (webhook, key, { sequence, reason, at, rejection }) =>
      write((sql) => {
        const columns = [webhook, ...columnsOf(key)] as const;
        const row = sql.get(SELECT, ...columns);
        if (Number(row?.sequence ?? -1) >= sequence) return undefined;
        const since = numberOf(row?.failing_since) ?? at;
        const before = rejection?.continues ? numberOf(row?.content_since) : undefined;
        const contentSince = rejection && (before ?? at);
        sql.run(
          `INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET behind = excluded.behind,
            failing_since = excluded.failing_since, content_since = excluded.content_since,
            rejected_until = excluded.rejected_until`,
          ...columns,
          null,
          `${sequence}: ${reason}`,
          since,
          contentSince ?? null,
          rejection?.until ?? null,
        );
        return { since, contentSince };
      }),
  };
}

/** A mark with its notes. */
export async function readMark({ read }: Connection, destination: string, key: GroupKey): Promise<Mark> {
  return toMark(await read((sql) => sql.get(SELECT, destination, ...columnsOf(key))));
}

/** Deletes all that is known of a destination: under the same name it begins anew. */
export async function removeDestination({ write }: Connection, destination: string): Promise<void> {
  await write((sql) => {
    sql.run('DELETE FROM marks WHERE destination = ?', destination);
    sql.run("DELETE FROM documents WHERE kind = 'endpoint' AND name = ?", destination);
  });
}

/** The groups that are noted as behind for a destination, by their keys; only those of a source if one is named. */
export async function* listBehind(
  { read }: Connection,
  destination: string,
  source?: string,
): AsyncGenerator<BehindGroup> {
  const [from, to] = source === undefined ? ['', '~'] : streamsOf(source);
  const rows = await read((sql) =>
    sql.all(
      `SELECT * FROM marks WHERE destination = ? AND stream >= ? AND stream < ? AND behind IS NOT NULL
        ORDER BY stream, grp`,
      destination,
      from,
      to,
    ),
  );
  for (const row of rows) yield { destination, key: keyOf(row), ...toMark(row) };
}

function toMark(row: Row | undefined): Mark {
  const behind = row?.behind ?? undefined;
  return {
    sequence: numberOf(row?.sequence),
    behind: behind === undefined ? undefined : String(behind),
    failingSince: numberOf(row?.failing_since),
  };
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
