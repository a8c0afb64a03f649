// Facts that rows show by themselves: their order, their stamps, and whether they can be read.
import { type Instant, MILLISECOND, parseStamp, SECOND } from '../instant.ts';
import type { ReadableRow, RowReading } from '../returns-service/parse-return-group.ts';
import type { ProbeAnswer } from './ask-within.ts';

export interface StampsFound {
  readonly haveZone: boolean;
  /** Digits of a second's fraction. */
  readonly digits: number;
  /** How far the newest stamp is ahead of the answer's Date, below 0 if behind; null without a Date. */
  readonly newestAheadMs: number | null;
}

export interface RowsFound {
  /** Different groups. */
  readonly groups: number;
  readonly unreadable: readonly { readonly reason: string; readonly groups: number }[];
  /** Groups with a shipment whose stamp is later than the group's own `updated_at`: the change did not move it. */
  readonly olderThanTheirParts: number;
}

export function isReadable(row: RowReading): row is ReadableRow & { kind: 'readable' } {
  return row.kind === 'readable';
}

const KEYS: readonly (readonly [string, (row: ReadableRow) => number])[] = [
  ['updated_at', (row) => row.updatedAt],
  ['created_at', (row) => row.createdAt],
  ['id', (row) => row.group.id],
];

/** The fields by which the rows are sorted, as far as the rows show it. */
export function findOrders(rows: readonly ReadableRow[]): string[] {
  return KEYS.flatMap(([name, keyOf]) => {
    const keys = rows.map(keyOf);
    const isSorted = (sign: number) =>
      keys.every((key, at) => at === 0 || sign * (key - (keys[at - 1] ?? 0)) >= 0);
    if (new Set(keys).size < 2) return [];
    return [...(isSorted(1) ? [`${name} ascending`] : []), ...(isSorted(-1) ? [`${name} descending`] : [])];
  });
}

export function describeStamps(answers: readonly ProbeAnswer[]): StampsFound | null {
  const rows = answers.flatMap((answer) => answer.rows.filter(isReadable));
  if (rows.length === 0) return null;
  const ahead = answers.flatMap(({ date, rows: shown }) =>
    date === undefined ? [] : shown.filter(isReadable).map(({ updatedAt }) => updatedAt - date),
  );
  return {
    haveZone: rows.filter(({ zoned }) => zoned).length * 2 >= rows.length,
    digits: Math.max(...rows.map(({ precision }) => precision)),
    newestAheadMs: ahead.length === 0 ? null : Math.round(Math.max(...ahead) / MILLISECOND),
  };
}

export function describeRows(rows: readonly RowReading[]): RowsFound {
  const groups = new Map(rows.map((row) => [row.kind === 'readable' ? row.group.id : row.digest, row]));
  const reasons = new Map<string, number>();
  let older = 0;
  for (const row of groups.values()) {
    if (row.kind === 'unreadable') reasons.set(row.reason, (reasons.get(row.reason) ?? 0) + 1);
    else if (newestPart(row) > row.updatedAt + SECOND) older += 1;
  }
  const unreadable = [...reasons].map(([reason, count]) => ({ reason, groups: count }));
  return { groups: groups.size, unreadable, olderThanTheirParts: older };
}

function newestPart({ group }: ReadableRow): Instant {
  const stamps = (group.shipments ?? []).flatMap(({ shipped_at, delivered_at }) => [
    shipped_at,
    delivered_at,
  ]);
  return Math.max(...stamps.map((stamp) => (stamp ? (parseStamp(stamp)?.instant ?? 0) : 0)), 0);
}
