// How far the service's lists can be paged. Many services show only the first rows of a list: behind these a page is
// empty, or its offset is refused. So an empty page alone proves no end. An end is trusted if some list showed rows at
// that place before, or if it was confirmed (confirm-end.ts). Ranges are made no longer than lists can be paged. A service
// may serve lists by update from a search index and lists by creation from a table, so neither says how far the other
// goes. Pure.
import { HOUR, type Instant } from '../instant.ts';
import { SHORT_PAGE_ROWS } from '../limits.ts';
import type { Range } from './page.ts';

export interface ListDepths {
  /** Of the lists bounded by update alone: the polls' lists. */
  readonly updated: ListDepth;
  /** Of the lists bounded by creation alone: the walks' lists. */
  readonly created: ListDepth;
  /** When this knowledge was started, by the service's clock. */
  readonly since: Instant;
}

/** The depth of lists with the same bounds. */
export interface ListDepth {
  /** A list that ends at or before this place really ends there: rows were shown behind it. */
  readonly trusted: number;
  /** The confirmed end of the list from the oldest group on. While it ends there, it needs no new confirmation. */
  readonly confirmed: number | undefined;
  /**
   * Where that list last ended, behind its confirmed end. Trusted once: a cut list ends at the same place again. So a
   * growing store costs no extra requests, and one that outgrows what lists show is detected a walk later.
   */
  readonly grownTo: number | undefined;
  /** Where the list of all groups ended when its first half was confirmed: a tick may have room for one half only. */
  readonly halfConfirmed: number | undefined;
  /** Where the longest list ended when it was last asked for; undefined while it went on. */
  readonly longest: number | undefined;
  /** The most rows that a list shows; undefined while every list showed all it has. */
  readonly most: number | undefined;
  /** Where the last list with hidden rows seemed to end. If two in a row end there, lists show no more than that. */
  readonly suspect: number | undefined;
  /** When the trusted and confirmed ends were learned anew, by the service's clock. */
  readonly since: Instant;
}

/** The depth before the first page: no service shows fewer rows of a list than `trusted`. */
export const UNKNOWN_DEPTH: ListDepth = {
  trusted: SHORT_PAGE_ROWS - 1,
  confirmed: undefined,
  grownTo: undefined,
  halfConfirmed: undefined,
  longest: undefined,
  most: undefined,
  suspect: undefined,
  since: 0,
};

export const UNKNOWN_DEPTHS: ListDepths = { updated: UNKNOWN_DEPTH, created: UNKNOWN_DEPTH, since: 0 };

/** Services change: after this long the depth is learned anew, which takes about two requests for each kind of list. */
const FORGOTTEN_AFTER = HOUR;
/** The share of the rows that a list shows for which a range is made. */
const USED_SHARE = 0.8;

const UNSURE = { grownTo: undefined, halfConfirmed: undefined } as const;

/** Notes that a page showed rows up to this place. */
export function noteShown(depth: ListDepth, end: number): ListDepth {
  // The last row is one place before the end of the page.
  const trusted = Math.max(depth.trusted, end - 1);
  const most = end > (depth.most ?? Number.POSITIVE_INFINITY) ? undefined : depth.most;
  return trusted === depth.trusted && most === depth.most ? depth : { ...depth, trusted, most };
}

/** Whether a list really ends at this place. @param isOfAll whether it is the list from the oldest group on */
export function trustsEnd(depth: ListDepth, end: number, isOfAll: boolean): boolean {
  return end <= depth.trusted || (isOfAll && (end === depth.confirmed || hasGrown(depth, end)));
}

function hasGrown({ confirmed = Number.POSITIVE_INFINITY, grownTo }: ListDepth, end: number): boolean {
  return end > confirmed && end !== grownTo;
}

/** Notes that the list of all groups ended at a trusted place. */
export function noteTrusted(depth: ListDepth, end: number): ListDepth {
  return end > depth.trusted && hasGrown(depth, end) ? { ...depth, grownTo: end } : depth;
}

/** Notes that a list that ended at this place has no more rows. That says nothing of other lists that end there. */
export function noteConfirmed(depth: ListDepth, end: number, isOfAll: boolean): ListDepth {
  return { ...noteShown(depth, end), ...(isOfAll ? { confirmed: end, ...UNSURE } : {}) };
}

/** Notes that a list that seemed to end here has more rows. The first time it may be a row that just entered. */
export function noteHidden(depth: ListDepth, end: number): ListDepth {
  const most = depth.suspect === end ? end : depth.most;
  const trusted = Math.min(depth.trusted, end - 1);
  return { ...depth, ...UNSURE, trusted, confirmed: undefined, most, suspect: end };
}

/** Notes a refused offset. The next try goes half as far, but never before a place that showed a row. */
export function noteRefused(depth: ListDepth, offset: number): ListDepth {
  const half = Math.max(Math.floor(offset / 2), Math.min(depth.trusted, offset));
  return { ...depth, most: Math.min(depth.most ?? half, half) };
}

/** Drops all trusted ends: a list was proved to its end and still lacked a row. */
export function distrustEnds(depth: ListDepth): ListDepth {
  return { ...depth, ...UNSURE, trusted: UNKNOWN_DEPTH.trusted, confirmed: undefined, longest: undefined };
}

/** The present depth of lists with this range's bounds. The depth of lists with both bounds, or with none, is unknown. */
export function depthOf(depths: ListDepths, range: Range, now: Instant): ListDepth {
  const kind = kindOf(range);
  return kind === undefined ? UNKNOWN_DEPTH : forgetOldTrust(depths[kind], now);
}

/** Changes what is known of lists with this range's bounds. */
export function learnDepth(
  depths: ListDepths,
  range: Range,
  now: Instant,
  change: (depth: ListDepth) => ListDepth,
): ListDepths {
  const kind = kindOf(range);
  if (kind === undefined) return depths;
  const changed = change(forgetOldTrust(depths[kind], now));
  return changed === depths[kind] ? depths : { ...depths, [kind]: changed };
}

function kindOf({ updated, created }: Range): 'updated' | 'created' | undefined {
  if ((updated === undefined) === (created === undefined)) return undefined;
  return updated === undefined ? 'created' : 'updated';
}

/** Drops trusted ends that are too old, even in the middle of a walk: one walk may take days. */
function forgetOldTrust(depth: ListDepth, now: Instant): ListDepth {
  return isRecent(depth, now) ? depth : { ...distrustEnds(depth), since: now };
}

/** The depths at the start of a walk over all groups: all that is too old is dropped, also the most rows of a list. */
export function forgetOldDepths(depths: ListDepths, now: Instant): ListDepths {
  return isRecent(depths, now) ? depths : { ...UNKNOWN_DEPTHS, since: now };
}

function isRecent({ since }: Pick<ListDepths, 'since'>, now: Instant): boolean {
  return now >= since && now < since + FORGOTTEN_AFTER;
}

/** The number of rows that a range may have to be paged to its end. */
export function rowsToPage({ most = Number.POSITIVE_INFINITY }: ListDepth): number {
  return Math.max(1, Math.floor(most * USED_SHARE));
}

/** The depths as reading uses them, of lists with a range's bounds; the source's state stores them. */
export interface DepthKeeper {
  readonly current: (range: Range) => ListDepth;
  readonly learn: (range: Range, change: (depth: ListDepth) => ListDepth) => void;
}
