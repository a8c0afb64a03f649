// R3, the one learned number: the most rows that an answer had. An answer with fewer rows is complete, because the
// service had room for more. It is never learned by an offset: behind the end of a list's window, that looks like the
// end of the list.
import * as z from 'zod';
import type { Stored } from '../source/stored-object.ts';
import { countGroups, type Page } from './range.ts';

/** A service shows at least ten rows on a page. */
export const FEWEST_ROWS = 10;
/** A service that cuts pages by bytes does so where the next row would be too much. Below this size none does. */
const CUT_BY_BYTES_FROM = 64 * 1024;
const NEARLY = 0.9;
/** How much of a page a planned range should fill: what is created meanwhile finds room. */
export const FILLED = 0.8;

export const room = z.object({
  /** The most rows, and the most groups, of any answer since they were forgotten. */
  rows: z.int(),
  groups: z.int(),
  /** The most groups at all, for which ranges are planned; fewer after an answer that lacked known groups. */
  planned: z.int().optional(),
  /** Bytes of the largest answer of ten rows or more, and of the largest row. */
  bytes: z.int(),
  rowBytes: z.int(),
});

export type Room = Stored<typeof room>;

const NONE = FEWEST_ROWS - 1;
export const UNKNOWN_ROOM: Room = { rows: NONE, groups: NONE, planned: undefined, bytes: 0, rowBytes: 0 };

/** Whether the answer shows all rows of its range. */
export function isComplete(most: Room, limit: number, page: Page): boolean {
  const rows = page.rows.length;
  if (rows >= limit || rows >= Math.max(FEWEST_ROWS, most.rows)) return false;
  if (countGroups(page.rows) >= Math.max(FEWEST_ROWS, most.groups)) return false;
  const isLarge = rows >= FEWEST_ROWS && page.bytes >= CUT_BY_BYTES_FROM;
  const hasNoMoreRoom = page.bytes >= Math.min(NEARLY * most.bytes, most.bytes - most.rowBytes);
  return !(isLarge && most.bytes > 0 && hasNoMoreRoom);
}

/** Returns the room after an answer. */
export function learnRoom(known: Room, { rows, bytes, largestRow }: Page): Room {
  if (rows.length < FEWEST_ROWS) return known;
  const groups = countGroups(rows);
  return {
    rows: Math.max(known.rows, rows.length),
    groups: Math.max(known.groups, groups),
    planned: Math.max(known.planned ?? 0, groups),
    bytes: Math.max(known.bytes, bytes),
    rowBytes: Math.max(known.rowBytes, largestRow),
  };
}

/**
 * Forgets how many rows an answer can have: the next answer of ten rows or more counts as full, and is cut.
 *
 * @param shown groups of an answer that lacked known groups: pages may have become that short
 */
export function forgetRoom(known: Room, shown?: number): Room {
  const planned = shown === undefined ? known.planned : Math.max(FEWEST_ROWS, shown);
  return { ...known, rows: NONE, groups: NONE, planned };
}

/**
 * How many groups to plan a range for. While the number is forgotten, they are more than a page: the full answer shows it
 * again.
 *
 * @param share of the page that they fill
 */
export function plannedRows({ groups, planned = NONE }: Room, limit: number, share = FILLED): number {
  const page = planned < FEWEST_ROWS ? limit : Math.min(planned, limit);
  return Math.max(1, Math.ceil(page * (groups < page && share === FILLED ? BEYOND : share)));
}

/** How much larger than a page a range is planned whose answer shows how large pages are. */
const BEYOND = 1.3;
