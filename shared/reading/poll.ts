// A poll reads the rows that were updated since the last settled instant, R3 and R6. If it expects few rows, it reads
// them all at once, up to the open end. Otherwise it covers a closed range page by page, up to a little before the
// stamps' clock: rows may leave that range, none enter it. The open tail behind it is read for its news (news.ts),
// first of all and again whenever the interval between polls has passed; a later poll settles the tail. A read settles
// stamps only up to `lookback` before its moment, because changes may show that late, and only as far as every
// difference was saved.
import { DAY, type Instant } from '../instant.ts';
import {
  CLOSED_AFTER,
  CLOSED_FOR_SURE_AFTER,
  LITTLE_REQUESTS,
  MAX_OPEN_PAGES,
  RANGE_OVERLAP,
} from '../limits.ts';
import type { StampsState } from '../source/source-state.ts';
import { coverRange, readStraight } from './cover-range.ts';
import { tailFrom } from './news.ts';
import type { Page, PageRequest } from './page.ts';
import { halfWidth, nextWidth } from './range-width.ts';
import { readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { settledByRead, stampsTime } from './stamps-clock.ts';

export interface PollOptions extends Reader {
  /** Fetches the pages of closed ranges: news go first. */
  readonly fetchToCover: FetchToCover;
  /** Everything stamped before this instant has been read, and saved unless a guard holds it or it is set aside. */
  readonly settledThrough: Instant;
  /** The known facts about the stamps; each page adds to them. */
  readonly stamps: () => StampsState;
  /** The current time at the service. */
  readonly now: () => Instant;
  /** Whether `now` comes from the service and not just from the local clock. */
  readonly knowsTime: () => boolean;
  /** How late a change may show after its stamp, in the unit of Instant. */
  readonly lookback: number;
  /** The earliest stamp of a reading that was left, as the recorder counts it; undefined if none was. */
  readonly unsavedFrom: () => Instant | undefined;
  /** Called after each covered closed range: this progress is kept even if the poll fails later. */
  readonly onCovered: (progress: Pick<PollResult, 'settledThrough' | 'rangeWidth'>) => void;
  /**
   * Reads the newest rows since the last time, or else from this instant on. Their readings are saved, and prove
   * nothing.
   *
   * @returns the requests
   */
  readonly readNews: (since: Instant) => Promise<number>;
  /** Whether it is time to read the newest rows again. */
  readonly areNewsDue: () => boolean;
  /** Whether a walk over all groups settles what covering would: then nothing is covered here. */
  readonly isByWalk: () => boolean;
  /** Whether few rows are expected: the poll then reads everything at once. */
  readonly expectsLittle: boolean;
  /** Width of the next closed range, in the unit of Instant. */
  readonly rangeWidth: number;
  /** Whether there is time for another closed range of about this many pages. The first is tried in any case. */
  readonly hasTimeFor: (pages: number) => boolean;
}

/** Fetches a page. It may send requests of a sweep first; after each of these it reads the news if they are due. */
export type FetchToCover = (request: PageRequest, readNewsIfDue: () => Promise<void>) => Promise<Page>;

export interface PollResult {
  /** Never earlier than the one in the options. */
  readonly settledThrough: Instant;
  /**
   * Whether everything was covered and saved: up to the open end if all was read at once, else up to the end of what is
   * closed.
   */
  readonly isComplete: boolean;
  /** Whether a few pages were enough and no request was wasted. */
  readonly wasLittle: boolean;
  readonly rangeWidth: number;
  /** Why the order is not stable; undefined if no sign of that was found. */
  readonly unstable: string | undefined;
}

export async function poll(options: PollOptions): Promise<PollResult> {
  const { rangeWidth, settledThrough } = options;
  const requests = { sent: 0 };
  const counted = { ...options, ...countRequests(options, requests) };
  const triesOpen = options.expectsLittle || !options.knowsTime();
  if (triesOpen) {
    const first = await readAtOnce(counted);
    // Before the first answer the local clock chose the range: if that was behind, the range ends before the present.
    const open = first.isWhole && first.through < options.now() ? await readAtOnce(counted) : first;
    if (open.isWhole) {
      const { unstable } = open;
      const wasLittle = requests.sent <= LITTLE_REQUESTS;
      const through = settledBy(open.through, open.readAt, options);
      return { settledThrough: through, isComplete: isSaved(options), wasLittle, rangeWidth, unstable };
    }
  }
  const readAt = options.now();
  const closedUpTo = closedToPolls(readAt, options);
  const since = Math.max(closedUpTo, settledThrough);
  const news = await options.readNews(since);
  // Counts as little unless this poll tried to read everything at once: so a later poll tries again.
  if (options.isByWalk())
    return { settledThrough, isComplete: false, wasLittle: !triesOpen, rangeWidth, unstable: undefined };
  // The clock may have been ahead as the ranges were chosen: then the next poll settles them.
  const settle = (through: Instant) =>
    options.now() + RANGE_OVERLAP < readAt ? settledThrough : settledBy(through, readAt, options);
  const covering = countRequests(withNews(since, options), requests);
  const closed = await coverClosed(closedUpTo, { ...options, ...covering }, (through, width) =>
    options.onCovered({ settledThrough: settle(through), rangeWidth: width }),
  );
  return {
    settledThrough: settle(closed.through),
    isComplete: closed.through >= closedUpTo && isSaved(options),
    wasLittle: !triesOpen && news + requests.sent <= MAX_OPEN_PAGES,
    rangeWidth: closed.rangeWidth,
    unstable: closed.unstable,
  };
}

/** Requests of news for each of covering, if news take as long as the interval between polls. */
const NEWS_TO_ONE = 2;

/**
 * Covering may take longer than the interval between polls: news must not wait for it. But if news take as long as the
 * interval, covering gets a third of the requests: otherwise it would never settle anything. With half of them, news of
 * nine pages came late each time, because covering waits until half of the requests that may be sent at once are free
 * again.
 */
function withNews(since: Instant, options: PollOptions): Reader {
  const { fetchToCover, areNewsDue, readNews } = options;
  let owed = 0;
  async function readNewsIfDue(): Promise<void> {
    if (owed <= 0 && areNewsDue()) owed = Math.ceil((await readNews(since)) / NEWS_TO_ONE);
  }
  return {
    ...options,
    async fetch(request) {
      await readNewsIfDue();
      owed -= 1;
      return fetchToCover(request, readNewsIfDue);
    },
  };
}

/** The end of what is closed: a little before the stamps' clock, or further back than any clock can be off. */
function closedToPolls(now: Instant, { stamps }: PollOptions): Instant {
  const time = stampsTime(stamps(), now);
  return Math.max(time === undefined ? 0 : time - CLOSED_AFTER, now - CLOSED_FOR_SURE_AFTER);
}

function isSaved({ unsavedFrom }: PollOptions): boolean {
  return unsavedFrom() === undefined;
}

/** The instant up to which everything is settled, after a read at `readAt` covered a range up to `through`. */
function settledBy(
  through: Instant,
  readAt: Instant,
  { stamps, lookback, settledThrough, unsavedFrom }: PollOptions,
): Instant {
  const reach = settledByRead(stamps(), readAt, lookback);
  if (reach === undefined) return settledThrough;
  const saved = Math.min(reach, through, unsavedFrom() ?? reach);
  // An unsaved row from before `settledThrough` came with the overlap of the range. The next poll requests it again.
  return Math.max(saved, settledThrough);
}

interface ReadAtOnce {
  readonly isWhole: boolean;
  /** The end of the request. Before a process's first answer it follows the local clock, which may be far behind. */
  readonly through: Instant;
  readonly readAt: Instant;
  readonly unstable: string | undefined;
}

/** Reads all rows if they fit in a few pages. Rows that change meanwhile get later stamps; later polls read them. */
async function readAtOnce(options: PollOptions): Promise<ReadAtOnce> {
  const range = tailFrom(options.settledThrough, options);
  const first = await readPage(range, 0, options);
  const read = await readStraight(range, { ...options, maxPages: MAX_OPEN_PAGES }, first);
  const { outcome, reason: unstable } = read;
  return { isWhole: outcome === 'whole', through: range.updated.to, readAt: first.sentAt, unstable };
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
      // If lists can hardly be paged, few requests show it, and there is time to try narrower ranges at once. The
      // narrowest ranges are never overlong.
      if (requests.sent <= options.maxPages / 4) continue;
      return { through, unstable, rangeWidth };
    }
    if (isWhole) through = coverage.through ?? through;
    // Ranges behind an unproved one are read as well: they may hold news.
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

/** The first guess and the upper bound of a range's width; a range with too many pages is halved. */
export const WIDEST_RANGE = 40 * DAY;
