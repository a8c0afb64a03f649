// Which rows of an answer to a look-up by id are the group's. A row that names no id for sure may be the group, shown
// so that it cannot be read. The group then counts as shown and unreadable, never as gone: only an answer whose rows
// all name other ids, or that has no rows, is a look-up in vain.
import type { RowReading } from '../returns-service/parse-return-group.ts';

/** The group's rows, or else those that may be the group's, under its id; none where the look-up was in vain. */
export function ownRowsOf(groupId: number, rows: readonly RowReading[]): RowReading[] {
  const own = rows.filter((row) => idOf(row) === groupId);
  if (own.length > 0) return own;
  const nameless = rows.find((row) => row.kind === 'unreadable' && row.id === undefined);
  return nameless?.kind === 'unreadable' ? [{ ...nameless, id: groupId }] : [];
}

function idOf(row: RowReading): number | undefined {
  return row.kind === 'readable' ? row.group.id : row.id;
}
