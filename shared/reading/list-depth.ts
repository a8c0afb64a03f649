// How far the service's lists can be paged. Many services show the first rows of a list only: behind these a page is
// empty, or its offset is refused. An empty page then proves no end. So an end is believed where rows were shown at
// that place of some list before, or once it was confirmed (confirm-end.ts); and ranges are made no longer than lists
// can be paged. Pure.
import { HOUR, type Instant } from '../instant.ts';
import { SHORT_PAGE_ROWS } from '../limits.ts';

export interface ListDepth {
  /** A list that ends at this place, or before it, ends there by itself: rows were shown behind it. */
  readonly trusted: number;
  /** Where the list from the oldest group on was confirmed to end. While it ends there, it need not be again. */
  readonly confirmed: number | undefined;
  /**
   * Where it ended since, with more rows than were confirmed. Believed once: a list that is cut ends at the same place
   * again. So a store that grows costs no requests more, and one that outgrows what lists show is found out a walk later.
   */
  readonly grownTo: number | undefined;
  /** Where the list of all groups ended when the first of its halves was confirmed: a tick may have room for one. */
  readonly halfConfirmed: number | undefined;
  /** Rows that a list shows at most; undefined while no list was seen to show fewer than it has. */
  readonly most: number | undefined;
  /** Where a list seemed to end last that had more rows; twice at one place, and that is all that lists show. */
  readonly suspect: number | undefined;
  /** When it was begun to be learned, by the service's clock. */
  readonly since: Instant;
}

/** No service shows fewer rows of a list than this. */
export const UNKNOWN_DEPTH: ListDepth = {
  trusted: SHORT_PAGE_ROWS - 1,
  confirmed: undefined,
  grownTo: undefined,
  halfConfirmed: undefined,
  most: undefined,
  suspect: undefined,
  since: 0,
};

/** Services change: after this long the depth is learned anew, which takes two requests a walk. */
const FORGOTTEN_AFTER = HOUR;
/** Of the rows that a list shows, those that a range is made for. */
const USED_SHARE = 0.8;

const UNSURE = { grownTo: undefined, halfConfirmed: undefined } as const;

/** A page showed rows up to this place. */
export function noteShown(depth: ListDepth, end: number): ListDepth {
  // The last row stands one place before the end of the page.
  const trusted = Math.max(depth.trusted, end - 1);
  const most = depth.most !== undefined && end > depth.most ? undefined : depth.most;
  return trusted === depth.trusted && most === depth.most ? depth : { ...depth, trusted, most };
}

/** Whether a list ends at this place for sure. @param isOfAll whether it is the list from the oldest group on */
export function trustsEnd(depth: ListDepth, end: number, isOfAll: boolean): boolean {
  return end <= depth.trusted || (isOfAll && (end === depth.confirmed || hasGrown(depth, end)));
}

function hasGrown({ confirmed, grownTo }: ListDepth, end: number): boolean {
  return confirmed !== undefined && end > confirmed && end !== grownTo;
}

/** The list of all groups ended at a place that is trusted. */
export function noteTrusted(depth: ListDepth, end: number): ListDepth {
  return end > depth.trusted && hasGrown(depth, end) ? { ...depth, grownTo: end } : depth;
}

/** A list that ended at this place was found to have no more rows. That says nothing of others that end there. */
export function noteConfirmed(depth: ListDepth, end: number, isOfAll: boolean): ListDepth {
  return { ...noteShown(depth, end), ...(isOfAll ? { confirmed: end, ...UNSURE } : {}) };
}

/** A list that seemed to end at this place has more rows. Once that may be a row that has just entered. */
export function noteHidden(depth: ListDepth, end: number): ListDepth {
  const most = depth.suspect === end ? end : depth.most;
  const trusted = Math.min(depth.trusted, end - 1);
  return { ...depth, ...UNSURE, trusted, confirmed: undefined, most, suspect: end };
}

/** The service refused the offset. The next try is half as far, but never before a place that showed a row. */
export function noteRefused(depth: ListDepth, offset: number): ListDepth {
  const half = Math.max(Math.floor(offset / 2), Math.min(depth.trusted, offset));
  return { ...depth, most: Math.min(depth.most ?? half, half) };
}

/** Nothing is believed any more: a list was proved to its end and lacked a row. */
export function distrustEnds(depth: ListDepth): ListDepth {
  return { ...depth, ...UNSURE, trusted: UNKNOWN_DEPTH.trusted, confirmed: undefined };
}

/** What holds as a walk begins. */
export function forgetOldDepth(depth: ListDepth, now: Instant): ListDepth {
  const isRecent = now >= depth.since && now < depth.since + FORGOTTEN_AFTER;
  return isRecent ? depth : { ...UNKNOWN_DEPTH, since: now };
}

/** Rows that a range may have so that it can be paged to its end. */
export function rowsToPage({ most = Number.POSITIVE_INFINITY }: ListDepth): number {
  return Math.max(1, Math.floor(most * USED_SHARE));
}

/** The depth as reading uses it: kept by the source's state. */
export interface DepthKeeper {
  readonly current: () => ListDepth;
  readonly learn: (change: (depth: ListDepth) => ListDepth) => void;
}
