// Whether a list that was read to an empty page has more rows behind it, because the service shows the first rows of a
// list only. The list is asked for in two halves, each from behind the rows that were seen of it. If rows are missing,
// at least one half has more rows than were seen, and they lie within what the service shows, whatever the order is.
// So two requests confirm all ends up to that place.
import { type Instant, SECOND } from '../instant.ts';
import type { RowStamps } from './cut-range.ts';
import { noteConfirmed, noteHidden } from './list-depth.ts';
import { identityOf, type Page, PageOutOfReach, type Range } from './page.ts';
import type { Reader } from './read-pass.ts';

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

/**
 * Whether the list has no row but those seen. Rows that were created and updated at the same time can't be halved:
 * their end is believed.
 */
export async function confirmEnd(range: Range, list: SeenList, reader: Reader): Promise<boolean> {
  const { depth } = reader;
  if (depth === undefined || list.end <= depth.current().trusted) return true;
  for (const half of halve(range, list)) {
    const behind = await readBehind(half, reader);
    if (behind === undefined) return false;
    // Without a name for each row, only more rows than may be there prove anything.
    const isMissing = behind.rows.length > half.unsure || behind.rows.some((row) => isNew(row, list));
    if (!isMissing) continue;
    depth.learn((known) => noteHidden(known, list.end));
    return false;
  }
  depth.learn((known) => noteConfirmed(known, list.end));
  return true;
}

/** @returns undefined where the service refuses the offset */
async function readBehind(
  { range, seen: offset, unsure }: Half,
  { fetch, take }: Reader,
): Promise<Page | undefined> {
  try {
    const page = await fetch({ range, offset, limit: unsure + 1 });
    await take(page);
    return page;
  } catch (error) {
    if (error instanceof PageOutOfReach) return undefined;
    throw error;
  }
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
