// Which group a row is of, and the group's rows in the answer to a look-up by id. A row without a readable id may be
// the group in a form that can't be read. The group then counts as shown and unreadable, never as missing: it is missing
// only if the answer has no rows, or all rows have other ids.
import type { RowReading } from './parse-return-group.ts';

/** The row's group; undefined for a row that can't be read and shows no id. */
export function idOf(row: RowReading): number | undefined {
  return row.kind === 'readable' ? row.group.id : row.id;
}

/** The group's rows, or else a row that may be the group's, under its id; none if the group is missing. */
export function ownRowsOf(groupId: number, rows: readonly RowReading[]): RowReading[] {
  const own = rows.filter((row) => idOf(row) === groupId);
  if (own.length > 0) return own;
  const nameless = rows.find((row) => row.kind === 'unreadable' && row.id === undefined);
  return nameless?.kind === 'unreadable' ? [{ ...nameless, id: groupId }] : [];
}
