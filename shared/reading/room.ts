// R3, the one learned number: the most rows that an answer had. An answer with fewer rows is complete, because the
// service had room for more. It is never learned by an offset: behind the end of a list's window, that looks like the
// end of the list.
import * as z from 'zod';
import { instant, type Stored } from '../source/stored-object.ts';
import { countGroups, type Page } from './range.ts';

/** A service shows at least ten rows on a page. */
export const FEWEST_ROWS = 10;
/** A service that cuts pages by bytes does so where the next row would be too much. Below this size none does. */
const CUT_BY_BYTES_FROM = 64 * 1024;
const NEARLY = 0.9;
/** How much of a page a planned range should fill: what is created meanwhile finds room. */
const FILLED_BY_WALKS = 0.8;
const FILLED_BY_POLLS = 0.7;
/** How much larger than a page a range is planned whose answer shows how large pages are. */
const BEYOND = 1.3;

export const room = z.object({
  /** When the service was last asked for longer pages. */
  since: instant,
  /** The most rows, and the most groups, of any answer since they were forgotten. */
  rows: z.int(),
  groups: z.int(),
  /** The most groups of any answer at all, for which ranges are planned: a page that became shorter costs cuts. */
  planned: z.int().optional(),
  /** Bytes of the largest answer of ten rows or more, and of the largest row. */
  bytes: z.int(),
  rowBytes: z.int(),
});

export type Room = Stored<typeof room>;

const NONE = FEWEST_ROWS - 1;
export const UNKNOWN_ROOM: Room = {
  ...{ since: 0, rows: NONE, groups: NONE, planned: undefined, bytes: 0, rowBytes: 0 },
};

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
    since: known.since,
    rows: Math.max(known.rows, rows.length),
    groups: Math.max(known.groups, groups),
    planned: Math.max(known.planned ?? 0, groups),
    bytes: Math.max(known.bytes, bytes),
    rowBytes: Math.max(known.rowBytes, largestRow),
  };
}

/** Forgets how many rows an answer can have: the next answer of ten rows or more counts as full, and is cut. */
export function forgetRoom(known: Room): Room {
  return { ...known, rows: NONE, groups: NONE };
}

/** How many groups to plan a part of a poll for. */
export function rowsOfPart({ planned = NONE }: Room, limit: number): number {
  return Math.ceil(FILLED_BY_POLLS * pageOf(planned, limit));
}

/** How many groups to plan a piece of a walk for: more than a page while its length is not known. */
export function rowsOfPiece({ groups, planned = NONE }: Room, limit: number): number {
  const page = pageOf(planned, limit);
  return Math.ceil((groups < page ? BEYOND : FILLED_BY_WALKS) * page);
}

function pageOf(planned: number, limit: number): number {
  return planned < FEWEST_ROWS ? limit : Math.min(planned, limit);
}
