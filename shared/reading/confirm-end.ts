// Whether a list that was read to an empty page has more rows behind it, because the service shows the first rows of a
// list only. The list is asked for in two halves, each from behind the rows that were seen of it. If rows are missing,
// at least one half has more rows than were seen, and they lie within what the service shows, whatever the order is.
// So two requests confirm the end; where rows lie so close together that either half may have them, it is read again.
import { type Instant, SECOND } from '../instant.ts';
import type { RowStamps } from './cut-range.ts';
import { type DepthKeeper, noteConfirmed, noteHidden, noteTrusted, trustsEnd } from './list-depth.ts';
import { identityOf, type Page, PageOutOfReach, type Range } from './page.ts';
import type { Reader } from './reader.ts';

/** Rows as near as this to a cut may be part of either half: ranges overlap, and bounds are as precise as stamps. */
const EITHER_HALF_WITHIN = 3 * SECOND;

/** What was seen of a list that ended with an empty page. */
export interface SeenList {
  /** The place of the empty page. */
  readonly end: number;
  /** The stamps of the rows, by their identity; rows without stamps are left out. */
  readonly rows: ReadonlyMap<string, RowStamps>;
}

/** The rows of one page as a list that ends with it. */
export function seenInPage({ rows }: Pick<Page, 'rows'>): SeenList {
  const seen = new Map<string, RowStamps>();
  for (const row of rows) {
    const { createdAt, updatedAt } = row;
    if (createdAt !== undefined && updatedAt !== undefined)
      seen.set(identityOf(row), { createdAt, updatedAt });
  }
  return { end: rows.length, rows: seen };
}

/** Whether the list has no row but those seen. */
export async function confirmEnd(range: Range, list: SeenList, reader: Reader): Promise<boolean> {
  const { depth } = reader;
  const isOfAll = range.updated === undefined && range.created?.from === undefined;
  if (depth === undefined) return true;
  if (trustsEnd(depth.current(), list.end, isOfAll)) {
    if (isOfAll) depth.learn((known) => noteTrusted(known, list.end));
    return true;
  }
  try {
    const isConfirmed = await isWholeList(range, list, reader, isOfAll ? depth : undefined);
    depth.learn((known) =>
      isConfirmed ? noteConfirmed(known, list.end, isOfAll) : noteHidden(known, list.end),
    );
    return isConfirmed;
  } catch (error) {
    if (error instanceof PageOutOfReach) return false;
    throw error;
  }
}

/** @param kept what keeps that the first half was confirmed, if the list can be told from others by where it ends */
async function isWholeList(
  range: Range,
  list: SeenList,
  reader: Reader,
  kept: DepthKeeper | undefined,
): Promise<boolean> {
  const halves = halve(range, list);
  if (halves.length === 0) return isShorterThanAll(list, reader);
  const isHalfDone = kept?.current().halfConfirmed === list.end;
  for (const half of isHalfDone ? halves.slice(1) : halves) {
    // Rows leave a range by update, so that the place behind the seen ones may have moved past a missing one.
    const isExact = half.unsure === 0 && half.range.updated === undefined;
    const isWhole = isExact
      ? await isEmpty(half.range, half.seen, reader)
      : await showsNothingNew(half.range, list, reader);
    if (!isWhole) return false;
    kept?.learn((known) => ({ ...known, halfConfirmed: list.end }));
  }
  return true;
}

/**
 * Rows that were created and updated at the same time can't be halved. They are all there is where the list of all
 * groups goes further, for then it is not cut at that place. Where it does not, it is cut if it should have other rows.
 */
async function isShorterThanAll(list: SeenList, reader: Reader): Promise<boolean> {
  if (!(await isEmpty({}, list.end, reader))) return true;
  const [row] = list.rows.values();
  if (row === undefined) return true;
  const before = { from: undefined, to: row.createdAt - EITHER_HALF_WITHIN };
  const after = { from: row.createdAt + EITHER_HALF_WITHIN, to: undefined };
  return (await isEmpty({ created: before }, 0, reader)) && (await isEmpty({ created: after }, 0, reader));
}

async function isEmpty(range: Range, offset: number, reader: Reader): Promise<boolean> {
  return (await read(range, offset, reader, 1)).rows.length === 0;
}

/** Reads a half to its end, which is true where it comes before the place in doubt. */
async function showsNothingNew(range: Range, list: SeenList, reader: Reader): Promise<boolean> {
  for (let offset = 0; offset < list.end; ) {
    const { rows } = await read(range, offset, reader);
    if (rows.some((row) => isNew(row, list))) return false;
    if (rows.length === 0) return true;
    offset += rows.length;
  }
  return false;
}

async function read(range: Range, offset: number, { fetch, take }: Reader, limit?: number): Promise<Page> {
  const page = await fetch({ range, offset, limit });
  await take(page);
  return page;
}

function isNew(row: Page['rows'][number], { rows }: SeenList): boolean {
  return row.createdAt !== undefined && row.updatedAt !== undefined && !rows.has(identityOf(row));
}

interface Half {
  readonly range: Range;
  /** Rows that were seen of it for sure. */
  readonly seen: number;
  /** Further rows that may be part of it. */
  readonly unsure: number;
}

/** The two halves with the fewest rows that may be part of either; none where all rows have the same stamps. */
function halve(range: Range, list: SeenList): readonly Half[] {
  const rows = [...list.rows.values()];
  const unstamped = Math.max(0, list.end - rows.length);
  const cuts = (['createdAt', 'updatedAt'] as const).flatMap((field) => {
    const instants = rows.map((row) => row[field]).sort((a, b) => a - b);
    const at = widestGap(instants);
    if (at === undefined) return [];
    const below = instants.filter((instant) => instant < at - EITHER_HALF_WITHIN).length;
    const above = instants.filter((instant) => instant > at + EITHER_HALF_WITHIN).length;
    return [{ field, at, below, above, unsure: instants.length - below - above + unstamped }];
  });
  const [cut] = cuts.sort((a, b) => a.unsure - b.unsure);
  if (cut === undefined) return [];
  const { field, at, below, above, unsure } = cut;
  const axis = field === 'createdAt' ? 'created' : 'updated';
  const { from, to } = range[axis] ?? { from: undefined, to: undefined };
  return [
    { range: { ...range, [axis]: { from, to: at } }, seen: below, unsure },
    { range: { ...range, [axis]: { from: at, to } }, seen: above, unsure },
  ];
}

/** The middle of the widest gap in the middle half of the instants; undefined where there is none. */
function widestGap(sorted: readonly Instant[]): Instant | undefined {
  let widest = 0;
  let at: Instant | undefined;
  for (let index = Math.ceil(sorted.length / 4); index <= (sorted.length * 3) / 4; index += 1) {
    const [before = 0, after = 0] = [sorted[index - 1], sorted[index]];
    if (index === 0 || index >= sorted.length || after - before <= widest) continue;
    widest = after - before;
    at = before + Math.ceil(widest / 2);
  }
  return at;
}
