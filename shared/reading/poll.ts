// A poll reads what was updated since the last settled instant, R3 and R6. Where little is expected it is read at
// once, up to its open end. Else up to a little before the stamps' clock, where the range is closed: rows may leave
// it, none enter, so it can be covered page by page; behind that the tail is open: it is read for its news, and
// settled by a later poll. A read settles stamps only up to `lookback` before its moment, for changes may show that
// late, and only as far as every difference was saved.
import { DAY, type Instant } from '../instant.ts';
import { CLOSED_AFTER, CLOSED_FOR_SURE_AFTER, MAX_OPEN_PAGES, MAX_TAIL_PAGES } from '../limits.ts';
import type { StampsState } from '../source/source-state.ts';
import { coverRange, readStraight } from './cover-range.ts';
import { identityOf, PageOutOfReach, type Range } from './page.ts';
import { halfWidth, nextWidth } from './range-width.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { askedAhead, mayFallBackBy, stampsTime } from './stamps-clock.ts';

export interface PollOptions extends Reader {
  /** Before this instant nothing is left to be read. */
  readonly settledThrough: Instant;
  /** What is known of the stamps by now; grows with each page. */
  readonly stamps: () => StampsState;
  /** The service's time by now. */
  readonly now: () => Instant;
  /** Whether that is known from the service, and not just the time here. */
  readonly knowsTime: () => boolean;
  /** How late a change may show after its stamp, in the unit of Instant. */
  readonly lookback: number;
  /** The earliest stamp of a row that differed and was not saved; undefined where all were. */
  readonly unsavedFrom: () => Instant | undefined;
  /** Told after each closed range that was covered: that much is done, whatever ends the poll. */
  readonly onCovered: (progress: Pick<PollResult, 'settledThrough' | 'rangeWidth'>) => void;
  /** Whether little is expected: everything is then read at once. */
  readonly expectsLittle: boolean;
  /** Width of the next closed range, in the unit of Instant. */
  readonly rangeWidth: number;
  /** Whether there is time for another closed range, of about so many pages. The first is tried in any case. */
  readonly hasTimeFor: (pages: number) => boolean;
}

export interface PollResult {
  /** Never before that of the options. */
  readonly settledThrough: Instant;
  /** Whether everything was covered, and saved, up to the open end. */
  readonly isComplete: boolean;
  /** Whether a few pages were enough, and nothing was read in vain. */
  readonly wasLittle: boolean;
  readonly rangeWidth: number;
  /** How the order was found not to be stable, if it was. */
  readonly unstable: string | undefined;
}

export async function poll(options: PollOptions): Promise<PollResult> {
  const { rangeWidth } = options;
  const triesOpen = options.expectsLittle || !options.knowsTime();
  if (triesOpen) {
    const open = await readOpen(options);
    if (open.isWhole) {
      const { unstable } = open;
      const settledThrough = settledBy(open.through, open.readAt, options);
      return { settledThrough, isComplete: isSaved(options), wasLittle: true, rangeWidth, unstable };
    }
  }
  const requests = { sent: 0 };
  const counted = { ...options, ...countRequests(options, requests) };
  const readAt = options.now();
  const closedUpTo = closedBefore(readAt, options);
  await readTail(Math.max(closedUpTo, options.settledThrough), counted);
  const closed = await coverClosed(closedUpTo, counted, (through, width) =>
    options.onCovered({ settledThrough: settledBy(through, readAt, options), rangeWidth: width }),
  );
  return {
    settledThrough: settledBy(closed.through, readAt, options),
    isComplete: closed.through >= closedUpTo && isSaved(options),
    wasLittle: !triesOpen && requests.sent <= MAX_OPEN_PAGES,
    rangeWidth: closed.rangeWidth,
    unstable: closed.unstable,
  };
}

/** How far ranges are closed: a little before the stamps' clock, or so long ago that no clock can be off as far. */
function closedBefore(now: Instant, { stamps }: PollOptions): Instant {
  const time = stampsTime(stamps(), now);
  return Math.max(time === undefined ? 0 : time - CLOSED_AFTER, now - CLOSED_FOR_SURE_AFTER);
}

function isSaved({ unsavedFrom }: PollOptions): boolean {
  return unsavedFrom() === undefined;
}

/** How far everything is settled by what was covered up to an instant, read at a moment. */
function settledBy(
  through: Instant,
  readAt: Instant,
  { stamps, lookback, settledThrough, unsavedFrom }: PollOptions,
): Instant {
  const time = stampsTime(stamps(), readAt);
  if (time === undefined) return settledThrough;
  const reach = time - lookback - mayFallBackBy(stamps());
  const saved = Math.min(reach, through, unsavedFrom() ?? reach);
  // What is unsaved and older shows up again in any case: a range begins a little before its start.
  return Math.max(saved, settledThrough);
}

interface OpenTail extends Range {
  readonly updated: { readonly from: Instant; readonly to: Instant };
}

/** Everything from an instant on, as far ahead as honest stamps may run. */
function tailFrom(from: Instant, { now, stamps }: PollOptions): OpenTail {
  return { updated: { from, to: now() + askedAhead(stamps()) } };
}

interface OpenReading {
  readonly isWhole: boolean;
  /** How far was asked: before a process's first answer that is its own idea of the time, which may be far behind. */
  readonly through: Instant;
  readonly readAt: Instant;
  readonly unstable: string | undefined;
}

/** Reads all there is in a few pages, if it can. What changes meanwhile is stamped later, and left to later polls. */
async function readOpen(options: PollOptions): Promise<OpenReading> {
  const range = tailFrom(options.settledThrough, options);
  const first = await readPage(range, 0, options);
  const read = await readStraight(range, { ...options, maxPages: MAX_OPEN_PAGES }, first);
  const { outcome, reason: unstable } = read;
  return { isWhole: outcome === 'whole', through: range.updated.to, readAt: first.sentAt, unstable };
}

/**
 * Reads an open tail on for its news. It proves nothing: what it misses is closed before long. So a page smaller
 * than the one before it may end it.
 */
async function readTail(from: Instant, options: PollOptions): Promise<void> {
  try {
    await readTailOn(from, options);
  } catch (error) {
    if (!(error instanceof PageOutOfReach)) throw error;
  }
}

async function readTailOn(from: Instant, options: PollOptions): Promise<void> {
  const range = tailFrom(from, options);
  const seen = new Set<string>();
  let offset = 0;
  for (let pages = 0; pages < MAX_TAIL_PAGES; pages += 1) {
    const page = await readPage(range, offset, options);
    const known = seen.size;
    for (const row of page.rows) seen.add(identityOf(row));
    if (seen.size === known || isShort(page)) return;
    offset += page.rows.length;
  }
}

async function coverClosed(
  upTo: Instant,
  options: PollOptions,
  onCovered: (through: Instant, rangeWidth: number) => void,
): Promise<Pick<PollResult, 'rangeWidth' | 'unstable'> & { readonly through: Instant }> {
  let from = options.settledThrough;
  let through = from;
  let isWhole = true;
  let { rangeWidth } = options;
  let unstable: string | undefined;
  let lastPages = 0;
  while (from < upTo && options.hasTimeFor(lastPages)) {
    const to = Math.min(upTo, from + rangeWidth);
    const requests = { sent: 0 };
    const coverage = await coverRange({ updated: { from, to } }, countRequests(options, requests));
    unstable ??= coverage.unstable;
    lastPages = requests.sent;
    if (coverage.outcome === 'overlong') {
      rangeWidth = halfWidth(to - from);
      // Where lists can hardly be paged that was found out soon, and narrower ranges are tried at once.
      if (rangeWidth < to - from && requests.sent <= options.maxPages / 4) continue;
      return { through, unstable, rangeWidth };
    }
    if (isWhole) through = coverage.through ?? through;
    // What lies behind an unproved range is read all the same: it may hold news.
    isWhole &&= coverage.outcome === 'proved';
    if (to < upTo)
      rangeWidth = Math.min(nextWidth(rangeWidth, requests.sent, options.maxPages), WIDEST_RANGE);
    if (isWhole) onCovered(through, rangeWidth);
    from = to;
  }
  return { through, rangeWidth, unstable };
}

function countRequests(reader: Reader, requests: { sent: number }): Reader {
  return {
    ...reader,
    fetch(request) {
      requests.sent += 1;
      return reader.fetch(request);
    },
  };
}

/** A first guess, and as wide as it gets again; a range with too many pages is halved. */
export const WIDEST_RANGE = 40 * DAY;
