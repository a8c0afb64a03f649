// What reading is made of: ranges of time that are asked for, and pages that come back.
import type { Instant } from '../instant.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';

/** From (included) to (excluded), by the service's stamps; undefined is open-ended. */
export interface Interval {
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

/** Which rows are asked for: by their last update, by their creation, or by both. */
export interface Range {
  readonly updated?: Interval | undefined;
  readonly created?: Interval | undefined;
}

export interface PageRequest {
  readonly range: Range;
  readonly offset: number;
  /** Rows wished for; the service may give fewer. */
  readonly limit?: number | undefined;
  /** Pages that will likely follow each other from here. */
  readonly expect?: number | undefined;
}

/** One answer of the list: what it showed at one moment between `sentAt` and `receivedAt`. */
export interface Page {
  readonly rows: readonly RowReading[];
  /** Of the answer's body, decompressed. */
  readonly bytes: number;
  /** Rows that were asked for; undefined where that is not known. */
  readonly asked?: number | undefined;
  /** By the service's clock, on the early and on the late side. */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
}

/** Thrown for a page behind the rows that the service lets be paged; the cause is what it answered. */
export class PageOutOfReach extends Error {
  override readonly name = 'PageOutOfReach';
}

/** Asks for one page. @throws PageOutOfReach, or where no page is to be had at all */
export type FetchPage = (request: PageRequest) => Promise<Page>;

/** What names a row over several pages: its id, or what it looks like where it can't even show that. */
export function identityOf(row: RowReading): string {
  return row.kind === 'readable' ? String(row.group.id) : (nameOf(row) ?? `#${row.digest}`);
}

/** The row's id; undefined where it shows none, and so can't be told from another that looks the same. */
export function nameOf(row: RowReading): string | undefined {
  if (row.kind === 'readable') return String(row.group.id);
  return row.id === undefined ? row.textId : String(row.id);
}

/** Tells whether a row has changed since it was last seen: by its stamp, for a row may hold what differs at each read. */
export function versionOf(row: RowReading): string {
  if (row.kind === 'readable') return String(row.updatedAt);
  return row.updatedAt === undefined ? `#${row.digest}` : `@${row.updatedAt}`;
}
