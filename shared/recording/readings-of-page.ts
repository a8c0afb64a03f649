// What a page shows of each group: one reading, as it is compared with the group's snapshot. Of several rows of one
// group the newest count, because a shard or replica may still hold an old copy, anywhere in the page: what only an
// older row shows is absent. Rows with the same stamp are parts or copies, and are united; if they contradict each
// other, or one of them can't be read, the group is set aside for this answer.
import { cutText, type FieldNames, projectGroup } from '../comparing/project-group.ts';
import { projectIncluded } from '../comparing/project-included.ts';
import type { Reading } from '../comparing/snapshot.ts';
import type { Page } from '../reading/range.ts';
import { contentDigestOf } from '../returns-service/content-digest.ts';
import { type Fault, type Lenient, shown } from '../returns-service/field-kinds.ts';
import type { ReadableRow, RowReading, UnreadableRow } from '../returns-service/parse-return-group.ts';
import { uniteIncluded } from '../returns-service/read-included.ts';
import { uniteGroups } from '../returns-service/unite-groups.ts';

export interface ReadingOptions {
  readonly through: Reading['through'];
  readonly customerData: boolean;
  /** The fields whose absence is not null (known-fields.ts). @default none */
  readonly kept?: FieldNames | undefined;
}

/** The readings of a page, one of each group that can be read. */
export function readingsOf(page: Page, options: ReadingOptions): Reading[] {
  return uniteRows(page).readable.map((row) => makeReading(row, page, options));
}

/**
 * The rows that can't be read, without old copies of groups of which the page also shows a newer row that can be; and
 * one for each group whose rows contradict each other.
 */
export function unreadableOf(page: Page): UnreadableRow[] {
  return uniteRows(page).unreadable;
}

type Rows<Row> = [Row, ...Row[]];

function uniteRows({ rows }: Page): { readable: ReadableRow[]; unreadable: UnreadableRow[] } {
  const newest = newestRows(rows);
  const distinct = new Map(rows.filter((row) => row.kind === 'unreadable').map((row) => [row.digest, row]));
  const unreadable = [...distinct.values()].filter((row) => !isOldCopy(row, newest));
  for (const { id, updatedAt } of unreadable) {
    if (id !== undefined && newest.get(id)?.[0].updatedAt === updatedAt) newest.delete(id);
  }
  const united = Array.from(newest.values(), unite);
  return {
    readable: united.filter((row) => row.kind === 'readable'),
    unreadable: [...unreadable, ...united.filter((row) => row.kind === 'unreadable')],
  };
}

/** The readable rows of each group that have its newest `updated_at`. */
function newestRows(rows: Page['rows']): Map<number, Rows<ReadableRow>> {
  const newest = new Map<number, Rows<ReadableRow>>();
  for (const row of rows) {
    if (row.kind === 'unreadable') continue;
    const others = newest.get(row.group.id);
    if (others === undefined || row.updatedAt > others[0].updatedAt) newest.set(row.group.id, [row]);
    else if (row.updatedAt === others[0].updatedAt) others.push(row);
  }
  return newest;
}

function isOldCopy(
  { id, updatedAt }: UnreadableRow,
  newest: ReadonlyMap<number, Rows<ReadableRow>>,
): boolean {
  const readable = id === undefined ? undefined : newest.get(id);
  return readable !== undefined && updatedAt !== undefined && readable[0].updatedAt > updatedAt;
}

function unite(rows: Rows<ReadableRow>): RowReading {
  const [first, ...others] = rows;
  if (others.length === 0) return first;
  const { createdAt, updatedAt } = first;
  const faults: Fault[] = [];
  const group = uniteGroups([first.group, ...others.map((row) => row.group)], faults);
  const isOneGroup = others.every((row) => row.createdAt === createdAt);
  if (group !== undefined && faults.length === 0 && isOneGroup)
    return { ...first, group, ...includedIn(rows) };
  const reason = 'two rows of one answer contradict each other';
  const digest = contentDigestOf(rows.map((row) => row.group));
  return { kind: 'unreadable', reason, digest, id: first.group.id, createdAt, updatedAt };
}

function includedIn(rows: Rows<ReadableRow>): Pick<ReadableRow, 'included'> {
  const [first, ...others] = rows.flatMap(({ included }) => included ?? []);
  return first === undefined ? {} : { included: uniteIncluded([first, ...others]) };
}

function makeReading(
  row: ReadableRow,
  { sentAt, receivedAt }: Page,
  { through, customerData, kept }: ReadingOptions,
): Reading {
  const { group, updatedAt, createdAt, included } = row;
  const base = {
    ...{ projection: projectGroup(group, kept), updatedAt, createdAt, sentAt, receivedAt, through },
    ...(included && { included: projectIncluded(included) }),
  };
  if (!customerData || !group.customer) return base;
  const { name, email, phone } = group.customer;
  return { ...base, customer: { name: orNull(name), email: orNull(email), phone: orNull(phone) } };
}

function orNull(text: Lenient<string>): string | null {
  return shown(text) ? cutText(text) : null;
}
