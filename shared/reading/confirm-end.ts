// Finds out whether a list that ended with an empty page has more rows, because the service shows only the first rows
// of a list. It requests the list in two halves, each from the place after the rows that were seen of it. If rows are
// missing, at least one half has more rows than were seen, and the service shows them, whatever the order is. So two
// requests confirm the end. If rows lie so close together that either half may have them, the half is read again. Polls
// first ask whether longer lists by update go on behind that place: their lists often grow from one to the next.
import { type Instant, SECOND } from '../instant.ts';
import type { RowStamps } from './cut-range.ts';
import { type DepthKeeper, noteConfirmed, noteHidden, noteTrusted, trustsEnd } from './list-depth.ts';
import { identityOf, type Page, PageOutOfReach, type Range } from './page.ts';
import type { Reader } from './reader.ts';

/** Rows this near to a cut may be part of either half: ranges overlap, and bounds are only as precise as stamps. */
const EITHER_HALF_WITHIN = 3 * SECOND;

/** The rows seen of a list that ended with an empty page. */
export interface SeenList {
  /** The place of the empty page. */
  readonly end: number;
  /** The stamps of the rows, by their identity; rows without stamps are left out. */
  readonly rows: ReadonlyMap<string, RowStamps>;
}

/** The rows of one page, as a list that ends with that page. */
export function seenInPage({ rows }: Pick<Page, 'rows'>): SeenList {
  const seen = new Map<string, RowStamps>();
  for (const row of rows) {
    const { createdAt, updatedAt } = row;
    if (createdAt !== undefined && updatedAt !== undefined)
      seen.set(identityOf(row), { createdAt, updatedAt });
  }
  return { end: rows.length, rows: seen };
}

/** Whether the seen rows are the whole list. */
export async function confirmEnd(range: Range, list: SeenList, reader: Reader): Promise<boolean> {
  const { depth } = reader;
  const isOfAll = range.updated === undefined && range.created?.from === undefined;
  if (depth === undefined) return true;
  if (trustsEnd(depth.current(range), list.end, isOfAll)) {
    if (isOfAll) depth.learn(range, (known) => noteTrusted(known, list.end));
    return true;
  }
  if (range.updated !== undefined && (await goesFurther(range, list, depth, reader))) return true;
  try {
    const isConfirmed = await isWholeList(range, list, reader, isOfAll ? depth : undefined);
    depth.learn(range, (known) =>
      isConfirmed ? noteConfirmed(known, list.end, isOfAll) : noteHidden(known, list.end),
    );
    return isConfirmed;
  } catch (error) {
    if (error instanceof PageOutOfReach) return false;
    throw error;
  }
}

/**
 * Whether the longest list with these bounds goes on behind that place. If it does, its page confirms all lists up to
 * the page's end with one request, so that lists that grow from poll to poll need no more.
 */
async function goesFurther(
  range: Range,
  { end }: SeenList,
  depth: DepthKeeper,
  reader: Reader,
): Promise<boolean> {
  const { longest = Number.POSITIVE_INFINITY } = depth.current(range);
  if (end >= longest) return false;
  try {
    const { rows } = await reader.fetch({ range: widest(range), offset: end });
    if (rows.length > 0) return true;
  } catch (error) {
    if (!(error instanceof PageOutOfReach)) throw error;
  }
  depth.learn(range, (known) => ({ ...known, longest: end }));
  return false;
}

/** @param kept records that the first half is confirmed; undefined if the list's end does not identify it */
async function isWholeList(
  range: Range,
  list: SeenList,
  reader: Reader,
  kept: DepthKeeper | undefined,
): Promise<boolean> {
  const halves = halve(range, list);
  if (halves.length === 0) return isShorterThanAll(range, list, reader);
  const isHalfDone = kept?.current(range).halfConfirmed === list.end;
  for (const half of isHalfDone ? halves.slice(1) : halves) {
    // Rows leave a range bounded by update, so a missing row may have moved up among the seen places.
    const isExact = half.unsure === 0 && half.range.updated === undefined;
    const shown = isExact
      ? await readBehind(half.range, half.seen, reader)
      : await readHalf(half.range, list, reader);
    if (shown === 'more') return false;
    if (shown === 'as many') return isShorterThanAll(range, list, reader);
    kept?.learn(range, (known) => ({ ...known, halfConfirmed: list.end }));
  }
  return true;
}

/**
 * Rows that were created and updated within seconds can't be halved. They are the whole list if the longest list with
 * the same bounds goes further: then no such list is cut at that place. If it does not go further, the list is cut if
 * other rows exist.
 */
async function isShorterThanAll(range: Range, list: SeenList, reader: Reader): Promise<boolean> {
  if (!(await isEmpty(widest(range), list.end, reader))) return true;
  const created = [...list.rows.values()].map(({ createdAt }) => createdAt);
  if (created.length === 0) return true;
  const before = { from: undefined, to: Math.min(...created) - EITHER_HALF_WITHIN };
  const after = { from: Math.max(...created) + EITHER_HALF_WITHIN, to: undefined };
  return (await isEmpty({ created: before }, 0, reader)) && (await isEmpty({ created: after }, 0, reader));
}

/** The longest list with the same bounds: its start is before any service's first row. */
function widest({ updated, created }: Range): Range {
  const ever = { from: 0, to: undefined };
  return { updated: updated && ever, created: created && ever };
}

async function isEmpty(range: Range, offset: number, reader: Reader): Promise<boolean> {
  return (await read(range, offset, reader, 1)).rows.length === 0;
}

/** A half shows unseen rows, fewer rows than the list, or as many: only the last may end where the list is cut. */
type Shown = 'more' | 'fewer' | 'as many';

async function readBehind(range: Range, seen: number, reader: Reader): Promise<Shown> {
  return (await isEmpty(range, seen, reader)) ? 'fewer' : 'more';
}

/** Reads a half to its end, which is real if it comes before the place in doubt. */
async function readHalf(range: Range, list: SeenList, reader: Reader): Promise<Shown> {
  for (let offset = 0; offset < list.end; ) {
    const { rows } = await read(range, offset, reader);
    if (rows.some((row) => isNew(row, list))) return 'more';
    if (rows.length === 0) return 'fewer';
    offset += rows.length;
  }
  return 'as many';
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
  /** Seen rows that are certainly part of it. */
  readonly seen: number;
  /** Further rows that may be part of it. */
  readonly unsure: number;
}

/**
 * The two halves with the fewest rows that may be part of either; none if the rows in the middle have the same stamps.
 */
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
  const whole = range[axis];
  return [
    { range: { ...range, [axis]: { from: whole?.from, to: at } }, seen: below, unsure },
    { range: { ...range, [axis]: { from: at, to: whole?.to } }, seen: above, unsure },
  ];
}

/** The middle of the widest gap in the middle half of the instants; undefined if there is none. */
function widestGap(sorted: readonly Instant[]): Instant | undefined {
  let widest = 0;
  let at: Instant | undefined;
  for (let index = Math.ceil(sorted.length / 4); index <= (sorted.length * 3) / 4; index += 1) {
    const [before = 0, after = 0] = [sorted[index - 1], sorted[index]];
    if (after - before <= widest) continue;
    widest = after - before;
    at = before + Math.ceil(widest / 2);
  }
  return at;
}
