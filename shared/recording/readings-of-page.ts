// What a page shows of each group: one reading, as it is compared with the group's snapshot.
import { projectGroup } from '../comparing/project-group.ts';
import type { Reading } from '../comparing/snapshot.ts';
import type { Page } from '../reading/range.ts';
import type { ReadableRow, UnreadableRow } from '../returns-service/parse-return-group.ts';

export interface ReadingOptions {
  readonly through: Reading['through'];
  readonly customerData: boolean;
}

/** The readings of a page, one of each group that can be read. */
export function readingsOf(page: Page, options: ReadingOptions): Reading[] {
  return Array.from(newestRows(page), (row) => makeReading(row, page, options));
}

/** The rows that can't be read, without old copies of groups of which the page also shows a newer row that can be. */
export function unreadableOf(page: Page): UnreadableRow[] {
  const unreadable = page.rows.filter((row) => row.kind === 'unreadable');
  if (unreadable.length === 0) return unreadable;
  const newest = new Map(Array.from(newestRows(page), ({ group, updatedAt }) => [group.id, updatedAt]));
  const isOldCopy = ({ id, updatedAt }: UnreadableRow) =>
    id !== undefined && updatedAt !== undefined && (newest.get(id) ?? Number.NEGATIVE_INFINITY) > updatedAt;
  return unreadable.filter((row) => !isOldCopy(row));
}

/**
 * Returns one readable row of each group: the one with the newest `updated_at`; if several have it, the last. A shard
 * or replica may still hold an old copy of a group, anywhere in the page.
 */
function newestRows({ rows }: Page): Iterable<ReadableRow> {
  const newest = new Map<number, ReadableRow>();
  for (const row of rows) {
    if (row.kind === 'unreadable') continue;
    const other = newest.get(row.group.id);
    if (other === undefined || row.updatedAt >= other.updatedAt) newest.set(row.group.id, row);
  }
  return newest.values();
}

function makeReading(
  row: ReadableRow,
  { sentAt, receivedAt }: Page,
  { through, customerData }: ReadingOptions,
): Reading {
  const { group, updatedAt, createdAt } = row;
  const base = { projection: projectGroup(group), updatedAt, createdAt, sentAt, receivedAt, through };
  if (!customerData || !group.customer) return base;
  const { name = null, email = null, phone = null } = group.customer;
  return { ...base, customer: { name, email, phone } };
}
