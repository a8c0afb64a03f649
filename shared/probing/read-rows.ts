// Facts that rows show by themselves: their order, their stamps, and whether they can be read.
import { projectGroup } from '../comparing/project-group.ts';
import { type Instant, MILLISECOND, parseStamp, SECOND } from '../instant.ts';
import type { ReadableRow, RowReading } from '../returns-service/parse-return-group.ts';
import type { ProbeAnswer } from './ask-within.ts';

export type StampsFound = NonNullable<ReturnType<typeof describeStamps>>;
export type RowsFound = ReturnType<typeof describeRows>;

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

export function describeStamps(answers: readonly ProbeAnswer[]) {
  const rows = answers.flatMap((answer) => answer.rows.filter(isReadable));
  if (rows.length === 0) return null;
  const ahead = answers.flatMap(({ date, rows: shown }) =>
    date === undefined ? [] : shown.filter(isReadable).map(({ updatedAt }) => updatedAt - date),
  );
  return {
    haveZone: rows.filter(({ zoned }) => zoned).length * 2 >= rows.length,
    /** Digits of a second's fraction. */
    digits: Math.max(...rows.map(({ precision }) => precision)),
    /** How far the newest stamp is ahead of the answer's Date, below 0 if behind; null without a Date. */
    newestAheadMs: ahead.length === 0 ? null : Math.round(Math.max(...ahead) / MILLISECOND),
  };
}

export function describeRows(rows: readonly RowReading[]) {
  const groups = new Map(rows.map((row) => [row.kind === 'readable' ? row.group.id : row.digest, row]));
  const reasons = new Map<string, number>();
  /**
   * Groups with a shipment that was shipped or delivered after the group's own `updated_at`: the change did not move
   * it.
   */
  let older = 0;
  for (const row of groups.values()) {
    if (row.kind === 'unreadable') reasons.set(row.reason, (reasons.get(row.reason) ?? 0) + 1);
    else if (newestPart(row) > row.updatedAt + SECOND) older += 1;
  }
  const unreadable = [...reasons].map(([reason, count]) => ({ reason, groups: count }));
  return { groups: groups.size, unreadable, olderThanTheirParts: older };
}

function newestPart({ group }: ReadableRow): Instant {
  const shipments = projectGroup(group).shipments ?? [];
  const stamps = shipments.flatMap((shipment) => [shipment?.shipped_at, shipment?.delivered_at]);
  return Math.max(...stamps.map((stamp) => (stamp ? (parseStamp(stamp)?.instant ?? 0) : 0)), 0);
}
