// A poll reads what was updated since the last settled instant, R3 and R6. Up to a little before the stamps' clock
// the range is closed: rows may leave it, none enter, so it can be covered page by page. Behind that the tail is
// open: it is read for its news, and settled by a later poll. A read settles stamps only up to `lookback` before
// its moment, for changes may show that late, and only as far as every difference was saved.
import { DAY, type Instant } from '../instant.ts';
import { CLOSED_AFTER, CLOSED_FOR_SURE_AFTER, MAX_TAIL_PAGES, RANGE_OVERLAP } from '../limits.ts';
import type { StampsState } from '../source-state.ts';
import { type Coverage, coverRange } from './cover-range.ts';
import { identityOf, type Range } from './page.ts';
import { isShort, type Reader } from './read-pass.ts';
import { askedAhead, stampsTime } from './stamps-clock.ts';

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
  /** Whether little is expected: one page is then asked for everything. */
  readonly expectsLittle: boolean;
  /** Width of the next closed range, in the unit of Instant. */
  readonly rangeWidth: number;
  /** Told after each closed range that was covered: that much is done, whatever ends the poll. */
  readonly onCovered: (progress: Pick<PollResult, 'settledThrough' | 'rangeWidth'>) => void;
}

export interface PollResult {
  readonly settledThrough: Instant;
  /** Whether everything up to `lookback` ago was covered. */
  readonly isComplete: boolean;
  /** Whether one page held all there was. */
  readonly wasLittle: boolean;
  readonly rangeWidth: number;
  /** How the order was found not to be stable, if it was. */
  readonly unstable: string | undefined;
}

export async function poll(options: PollOptions): Promise<PollResult> {
  if (options.expectsLittle || !options.knowsTime()) {
    const range = tailFrom(options.settledThrough, options);
    const page = await options.fetch({ range, offset: 0 });
    await options.take(page);
    if (options.trustsShortPages && isShort(page)) {
      // Before the first answer of a process the time asked up to is its own idea of it, which may be far behind.
      const through = Math.min(
        range.updated.to,
        stampsTime(options.stamps(), page.sentAt) ?? range.updated.to,
      );
      return {
        ...settle(through, page.sentAt, options),
        wasLittle: true,
        rangeWidth: options.rangeWidth,
        unstable: undefined,
      };
    }
  }
  const startedAt = options.now();
  const closedUpTo = closedBefore(startedAt, options);
  await readTail(Math.max(closedUpTo, options.settledThrough), options);
  const closed = await coverClosed(closedUpTo, options, (through, rangeWidth) =>
    options.onCovered({ settledThrough: settle(through, startedAt, options).settledThrough, rangeWidth }),
  );
  return {
    ...settle(closed.through, startedAt, options),
    wasLittle: false,
    rangeWidth: closed.rangeWidth,
    unstable: closed.unstable,
  };
}

/** How far ranges are closed: a little before the stamps' clock, or so long ago that no clock can be off as far. */
function closedBefore(now: Instant, { stamps }: PollOptions): Instant {
  const time = stampsTime(stamps(), now);
  return Math.max(time === undefined ? 0 : time - CLOSED_AFTER, now - CLOSED_FOR_SURE_AFTER);
}

function settle(
  coveredThrough: Instant | undefined,
  readAt: Instant,
  { stamps, lookback, settledThrough, unsavedFrom }: PollOptions,
): Pick<PollResult, 'settledThrough' | 'isComplete'> {
  const time = stampsTime(stamps(), readAt);
  if (coveredThrough === undefined || time === undefined)
    return { settledThrough, isComplete: time === undefined };
  const reach = Math.min(coveredThrough, time - lookback);
  // What is nearer than that is not closed yet, however short the lookback is.
  const due = time - Math.max(lookback, CLOSED_AFTER);
  const isComplete = coveredThrough >= due && unsavedFrom() === undefined;
  const saved = Math.min(reach, unsavedFrom() ?? reach);
  return { settledThrough: Math.max(saved, settledThrough - RANGE_OVERLAP), isComplete };
}

interface OpenTail extends Range {
  readonly updated: { readonly from: Instant; readonly to: Instant };
}

/** Everything from an instant on, as far ahead as honest stamps may run. */
function tailFrom(from: Instant, { now, stamps }: PollOptions): OpenTail {
  return { updated: { from, to: now() + askedAhead(stamps()) } };
}

/**
 * Reads an open tail on for its news. It proves nothing: what it misses is closed before long. So a page smaller
 * than the one before it may end it.
 */
async function readTail(from: Instant, options: PollOptions): Promise<void> {
  const range = tailFrom(from, options);
  const seen = new Set<string>();
  let offset = 0;
  for (let pages = 0; pages < MAX_TAIL_PAGES; pages += 1) {
    const page = await options.fetch({ range, offset });
    await options.take(page);
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
): Promise<Pick<PollResult, 'rangeWidth' | 'unstable'> & { through: Instant | undefined }> {
  let through = options.settledThrough;
  let { rangeWidth } = options;
  let unstable: string | undefined;
  while (through < upTo) {
    const to = Math.min(upTo, through + rangeWidth);
    const coverage: Coverage = await coverRange({ updated: { from: through, to } }, options);
    unstable ??= coverage.unstable;
    through = coverage.through ?? through;
    if (coverage.outcome === 'overlong') rangeWidth = Math.max(Math.floor((to - through) / 2), 1);
    if (coverage.outcome !== 'proved') break;
    rangeWidth = Math.min(rangeWidth * 2, WIDEST_RANGE);
    onCovered(through, rangeWidth);
  }
  return { through, rangeWidth, unstable };
}

/** A first guess, and as wide as it gets again; a range with too many pages is halved. */
export const WIDEST_RANGE = 40 * DAY;
