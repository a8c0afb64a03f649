// R3, the one learned number: the most rows that an answer had. An answer with fewer rows is complete, because the
// service had room for more. It is never learned by an offset: behind the end of a list's window, that looks like the
// end of the list.
import * as z from 'zod';
import type { Stored } from '../source/stored-object.ts';
import type { Page } from './range.ts';

/** A service shows at least ten rows on a page. */
export const FEWEST_ROWS = 10;
/** A service that cuts pages by bytes does so near the same size. Below this size none does. */
const CUT_BY_BYTES_FROM = 64 * 1024;
const NEARLY = 0.9;
/** How much of a page a planned range should fill: what is created meanwhile finds room. */
export const FILLED = 0.8;

export const room = z.object({
  /** The most rows of any answer since it was forgotten. */
  rows: z.int(),
  /** The most rows before that: ranges are planned for it. */
  planned: z.int().optional(),
  /** Bytes of the largest answer of ten rows or more. */
  bytes: z.int(),
});

export type Room = Stored<typeof room>;

const NONE = FEWEST_ROWS - 1;
export const UNKNOWN_ROOM: Room = { rows: NONE, planned: undefined, bytes: 0 };

/** Whether the answer shows all rows of its range. */
export function isComplete({ rows: most, bytes }: Room, limit: number, page: Page): boolean {
  const rows = page.rows.length;
  const isLarge = rows >= FEWEST_ROWS && page.bytes >= CUT_BY_BYTES_FROM && page.bytes >= NEARLY * bytes;
  return rows < limit && rows < Math.max(FEWEST_ROWS, most) && !(isLarge && bytes > 0);
}

/** Returns the room after an answer. */
export function learnRoom(known: Room, { rows: { length }, bytes }: Page): Room {
  if (length < FEWEST_ROWS || (length <= known.rows && bytes <= known.bytes)) return known;
  return { ...known, rows: Math.max(known.rows, length), bytes: Math.max(known.bytes, bytes) };
}

/**
 * Forgets how many rows an answer can have: the next answer of ten rows or more counts as full, and is cut.
 *
 * @param shown rows of an answer that lacked known groups: pages may have become that short
 */
export function forgetRoom(known: Room, shown?: number): Room {
  const seen = known.rows >= FEWEST_ROWS ? known.rows : known.planned;
  const planned = shown === undefined ? seen : Math.max(FEWEST_ROWS, shown);
  return { ...known, rows: NONE, planned };
}

/** How many rows to plan a range for, of which the page is filled to this share. */
export function plannedRows({ rows, planned = NONE }: Room, limit: number, share = FILLED): number {
  const most = Math.max(rows, planned);
  const page = most < FEWEST_ROWS ? limit : Math.min(most, limit);
  return Math.max(1, Math.floor(page * share));
}
