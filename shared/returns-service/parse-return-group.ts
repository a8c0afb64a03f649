// Parses one element of a page into a return group, or into the reason why that fails. Never throws: an unreadable row
// is set aside and the rest of its page continues. Reasons name places and kinds of values, never a value, because a
// row is full of personal data.
import type { Instant } from '../instant.ts';
import { contentDigestOf } from './content-digest.ts';
import { type Fault, identifier, stamp } from './field-kinds.ts';
import { isJsonObject, kindOf } from './json.ts';
import { type Includable, type ReadIncluded, readIncluded } from './read-included.ts';
import { type ReturnGroup, readRow } from './read-row.ts';
import { uniteGroups } from './unite-groups.ts';

export interface ReadableRow {
  readonly kind: 'readable';
  readonly group: ReturnGroup;
  readonly createdAt: Instant;
  /** `created_at` for a group that was never updated, or whose `updated_at` can't be read. */
  readonly updatedAt: Instant;
  /** Whether both stamps named an offset; stamps without one are read as UTC. */
  readonly zoned: boolean;
  /** Digits of the fraction of a second, 0 to 6: the more precise stamp's. */
  readonly precision: number;
  /** Of its fields and entities that can't be read. */
  readonly faults: readonly Fault[];
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
 *
 * @param include further fields to read
 */
export function parseReturnGroup(raw: unknown, include: readonly Includable[] = []): RowReading {
  if (!isJsonObject(raw)) return unreadable(raw, `the row is ${kindOf(raw)}, not an object`);
  const faults: Fault[] = [];
  const read = readRow(raw, faults);
  if (read === undefined) return unreadable(raw, describe(faults));
  const { group, created, updated = created } = read;
  return {
    kind: 'readable',
    group: uniteGroups([group], faults) ?? group,
    createdAt: created.instant,
    updatedAt: updated.instant,
    zoned: created.zoned && updated.zoned,
    precision: Math.max(created.precision, updated.precision),
    faults,
    ...(include.length > 0 && { included: readIncluded(raw, include) }),
  };
}

function describe(faults: readonly Fault[]): string {
  return faults.map(({ field, shape }) => `${field.replace('return_group.', '')} ${shape}`).join('; ');
}

function unreadable(raw: unknown, reason: string): UnreadableRow {
  const digest = contentDigestOf(raw);
  const { id: rawId, created_at, updated_at } = isJsonObject(raw) ? raw : {};
  const [createdAt, updatedAt] = [created_at, updated_at].map((each) => stamp(each)?.instant);
  const id = identifier(rawId);
  return {
    kind: 'unreadable',
    reason,
    digest,
    ...(id === undefined ? {} : { id }),
    ...(id === undefined && typeof rawId === 'string' ? { textId: contentDigestOf(rawId) } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
