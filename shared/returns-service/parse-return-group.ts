// Parses one element of a page into a return group, or into the reason why that fails. Never throws: an unreadable row
// is set aside and the rest of its page continues. Reasons name places and kinds of values, never a value, because a
// row is full of personal data.
import { type Instant, parseStamp, type Stamp } from '../instant.ts';
import { contentDigestOf } from './content-digest.ts';
import { isJsonObject } from './json.ts';
import { type Includable, type ReadIncluded, readIncluded } from './read-included.ts';
import { type ReturnGroup, readRow } from './read-row.ts';
import { uniteGroups } from './unite-groups.ts';

export interface ReadableRow {
  readonly kind: 'readable';
  readonly group: ReturnGroup;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Whether both stamps named an offset; stamps without one are read as UTC. */
  readonly zoned: boolean;
  /** Digits of the fraction of a second, 0 to 6: the more precise stamp's. */
  readonly precision: number;
  /** Undefined if nothing is asked for. */
  readonly included?: ReadIncluded;
}

export interface UnreadableRow {
  readonly kind: 'unreadable';
  /** The problem in words, without any value of the row. */
  readonly reason: string;
  /** The group's id, if it could be read. */
  readonly id?: number;
  /** A digest of an id that is a text, which identifies a row as well as a number does. */
  readonly textId?: string;
  /** When it was created and last updated, if that could be read. */
  readonly createdAt?: Instant;
  readonly updatedAt?: Instant;
  /** Digest of the whole row, whatever the order of its lists: shows whether it is still the same unreadable row. */
  readonly digest: string;
}

export type RowReading = ReadableRow | UnreadableRow;

/**
 * Reads a return group as tolerantly as possible without publishing a falsehood (read-row.ts draws that line).
 * Required are the group's id and stamps, and the id and status of each entity.
 *
 * @param include further fields to read
 */
export function parseReturnGroup(raw: unknown, include: readonly Includable[] = []): RowReading {
  const read = readRow(raw);
  const row = 'group' in read ? check(read.group, raw) : unreadable(raw, read.reason);
  if (include.length === 0 || row.kind === 'unreadable') return row;
  return { ...row, included: readIncluded(raw, include) };
}

/** Checks what concerns several fields, or the meaning of one. */
function check(group: ReturnGroup, raw: unknown): RowReading {
  const created = parseStamp(group.created_at);
  if (created === undefined) return unreadable(raw, 'created_at is not a timestamp');
  const updated = parseStamp(group.updated_at);
  if (updated === undefined) return unreadable(raw, 'updated_at is not a timestamp');
  const united = hasDoubledIds(group) ? uniteGroups([group]) : { group };
  if ('group' in united) return readable(united.group, created, updated);
  return unreadable(raw, `${united.contradictory} holds one id with different values`);
}

function readable(group: ReturnGroup, created: Stamp, updated: Stamp): ReadableRow {
  return {
    kind: 'readable',
    group,
    createdAt: created.instant,
    updatedAt: updated.instant,
    zoned: created.zoned && updated.zoned,
    precision: Math.max(created.precision, updated.precision),
  };
}

function unreadable(raw: unknown, reason: string): UnreadableRow {
  const digest = contentDigestOf(raw);
  const { id, created_at, updated_at } = isJsonObject(raw) ? raw : {};
  const [createdAt, updatedAt] = [instantOf(created_at), instantOf(updated_at)];
  const isNamed = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0;
  return {
    kind: 'unreadable',
    reason,
    digest,
    ...(isNamed ? { id } : {}),
    ...(typeof id === 'string' ? { textId: contentDigestOf(id) } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

function instantOf(stamp: unknown): Instant | undefined {
  return typeof stamp === 'string' ? parseStamp(stamp)?.instant : undefined;
}

/** Whether an entity shows twice; entities are identified by their id within the group. */
function hasDoubledIds({ shipments, returns, exchange_line_items }: ReturnGroup): boolean {
  return hasDoubledId(shipments) || hasDoubledId(returns) || hasDoubledId(exchange_line_items);
}

function hasDoubledId(entities: readonly { readonly id: number | string }[] | null | undefined): boolean {
  if (entities === null || entities === undefined || entities.length < 2) return false;
  return new Set(entities.map((entity) => entity.id)).size < entities.length;
}
