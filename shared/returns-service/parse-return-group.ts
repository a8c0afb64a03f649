// Parses one element of a page into a return group, or into the reason why that fails. Never throws: an unreadable row
// is set aside and the rest of its page continues. Reasons name places and kinds of values, never a value, because a
// row is full of personal data.
import type * as z from 'zod';
import { type Instant, parseStamp, type Stamp } from '../instant.ts';
import { isJsonObject, type JsonObject, kindOf } from './json.ts';
import { readQuickly } from './read-quickly.ts';
import type { ReturnGroup } from './resources/return-group.ts';
import { rowSchema } from './row-schema.ts';

export interface ReadableRow {
  readonly kind: 'readable';
  readonly group: ReturnGroup;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Whether both stamps named an offset; stamps without one are read as UTC. */
  readonly zoned: boolean;
  /** Set if only one of them did. */
  readonly hasMixedZones?: true;
  /** Digits of the fraction of a second, 0 to 6: the more precise stamp's. */
  readonly precision: number;
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

/** Faults named for one row; the others are only counted. */
const MAX_FAULTS = 3;

/**
 * Reads a return group as tolerantly as possible without publishing a falsehood (row-schema.ts draws that line).
 * Required are the group's id and stamps, and the id and status of each entity.
 */
export function parseReturnGroup(raw: unknown): RowReading {
  const quick = readQuickly(raw);
  if (quick !== undefined) return check(quick, raw);
  const result = rowSchema().safeParse(raw);
  return result.success ? check(result.data, raw) : unreadable(raw, faultsOf(result.error, raw));
}

/** Checks what a schema can't express. */
function check(group: ReturnGroup, raw: unknown): RowReading {
  const created = parseStamp(group.created_at);
  if (created === undefined) return unreadable(raw, 'created_at is not a timestamp');
  const updated = parseStamp(group.updated_at);
  if (updated === undefined) return unreadable(raw, 'updated_at is not a timestamp');
  const doubled = findDoubledIds(group);
  if (doubled !== undefined) return unreadable(raw, `${doubled} holds one id more than once`);
  return readable(group, created, updated);
}

function readable(group: ReturnGroup, created: Stamp, updated: Stamp): ReadableRow {
  return {
    kind: 'readable',
    group,
    createdAt: created.instant,
    updatedAt: updated.instant,
    zoned: created.zoned && updated.zoned,
    ...(created.zoned === updated.zoned ? {} : { hasMixedZones: true as const }),
    precision: Math.max(created.precision, updated.precision),
  };
}

function unreadable(raw: unknown, reason: string): UnreadableRow {
  const digest = digestOf(textOf(raw));
  const { id, created_at, updated_at } = isJsonObject(raw) ? raw : {};
  const [createdAt, updatedAt] = [instantOf(created_at), instantOf(updated_at)];
  const isNamed = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0;
  return {
    kind: 'unreadable',
    reason,
    digest,
    ...(isNamed ? { id } : {}),
    ...(typeof id === 'string' ? { textId: digestOf(id) } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

function instantOf(stamp: unknown): Instant | undefined {
  return typeof stamp === 'string' ? parseStamp(stamp)?.instant : undefined;
}

/** The row as a text that does not depend on the order of its lists and fields: a service may shuffle them. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).sort().join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? '';
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${textOf(field)}`);
  return `{${fields.sort().join()}}`;
}

/** Sixteen hexadecimal digits (twice FNV-1a): distinguishes rows, protects nothing and needs no key. */
function digestOf(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Entities are identified by their id within the group: two with the same id can't be distinguished. */
function findDoubledIds(group: ReturnGroup): string | undefined {
  if (hasDoubledId(group.shipments)) return 'shipments';
  if (hasDoubledId(group.returns)) return 'returns';
  if (hasDoubledId(group.exchange_line_items)) return 'exchange_line_items';
  return undefined;
}

function hasDoubledId(entities: readonly { readonly id: number | string }[] | null | undefined): boolean {
  if (entities === null || entities === undefined || entities.length < 2) return false;
  return new Set(entities.map((entity) => entity.id)).size < entities.length;
}

function faultsOf(error: z.ZodError, raw: unknown): string {
  const faults = error.issues.slice(0, MAX_FAULTS).map((issue) => describeFault(issue, raw));
  const more = error.issues.length - faults.length;
  return more > 0 ? `${faults.join('; ')}; and ${more} more` : faults.join('; ');
}

// Zod's own messages are not used: they might quote values.
function describeFault(issue: z.core.$ZodIssue, raw: unknown): string {
  if (issue.path.length === 0) return `the row is ${kindOf(raw)}, not an object`;
  const place = issue.path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('');
  const value = valueAt(raw, issue.path);
  return `${place.slice(1)} ${describeMismatch(issue, value)}`;
}

function describeMismatch(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `is ${kindOf(value)}, not ${EXPECTED[issue.expected] ?? 'what it should be'}`;
    case 'too_small':
      return typeof value === 'number' ? 'is a negative number' : 'is empty';
    case 'too_big':
      return typeof value === 'number' ? 'is beyond 2^53' : 'is too long';
    default:
      return 'is not what it should be';
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  array: 'an array',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = raw;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as JsonObject)[String(step)];
  }
  return value;
}
