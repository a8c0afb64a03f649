// What a page shows of each group: one reading, as it is compared with the group's snapshot.
import { projectGroup } from '../comparing/project-group.ts';
import type { Reading } from '../comparing/snapshot.ts';
import type { Page } from '../reading/page.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';

export interface ReadingOptions {
  readonly through: Reading['through'];
  readonly customerData: boolean;
}

/** The readings of a page, one of each group that can be read. */
export function readingsOf(page: Page, options: ReadingOptions): Reading[] {
  return Array.from(newestRows(page), (row) => makeReading(row, page, options));
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
