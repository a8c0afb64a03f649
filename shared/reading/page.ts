// The terms of reading: ranges of time to request, and the pages that come back.
import type { Instant } from '../instant.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';

/** From (included) to (excluded), by the service's stamps; undefined is open-ended. */
export interface Interval {
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

/** The requested rows: by their last update, by their creation, or by both. */
export interface Range {
  readonly updated?: Interval | undefined;
  readonly created?: Interval | undefined;
}

export interface PageRequest {
  readonly range: Range;
  readonly offset: number;
  /** Requested rows; the service may return fewer. */
  readonly limit?: number | undefined;
  /** How many pages will likely follow each other from here, this one included. */
  readonly expect?: number | undefined;
}

/** One answer of the list: the rows it showed at one moment between `sentAt` and `receivedAt`. */
export interface Page {
  readonly rows: readonly RowReading[];
  /** Size of the answer's body, decompressed. */
  readonly bytes: number;
  /** Requested rows; undefined if not known. */
  readonly asked?: number | undefined;
  /** By the service's clock: `sentAt` on the early side, `receivedAt` on the late side. */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
}

/**
 * Thrown for a page behind the rows that the service lets callers page; `cause` is the service's answer, if there was
 * one.
 */
export class PageOutOfReach extends Error {
  override readonly name = 'PageOutOfReach';
}

/** Requests one page. @throws PageOutOfReach, or if no page is available at all */
export type FetchPage = (request: PageRequest) => Promise<Page>;

/** Identifies a row across pages: by its id, or by its content if it shows no id. */
export function identityOf(row: RowReading): string {
  return row.kind === 'readable' ? String(row.group.id) : (nameOf(row) ?? `#${row.digest}`);
}

/** The row's id; undefined if it shows none: then it can't be distinguished from another row with the same content. */
export function nameOf(row: RowReading): string | undefined {
  if (row.kind === 'readable') return String(row.group.id);
  return row.id === undefined ? row.textId : String(row.id);
}

/** Changes when the row changes. Uses the stamp, because the content of some rows differs at each read. */
export function versionOf(row: RowReading): string {
  if (row.kind === 'readable') return String(row.updatedAt);
  return row.updatedAt === undefined ? `#${row.digest}` : `@${row.updatedAt}`;
}
