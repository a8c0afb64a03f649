// Reads the newest rows early: readings are saved, and nothing is proved. Rows may be missed, because they moved
// between two pages or because the list has no order; the next proof reads them. So reading ends when another page
// would have few new rows.
import { type Instant, SECOND } from '../instant.ts';
import { CLOSED_AFTER, MAX_TAIL_PAGES } from '../limits.ts';
import type { StampsState } from '../source/source-state.ts';
import { identityOf, type Page, PageOutOfReach, type Range } from './page.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { askedAhead, stampsTime } from './stamps-clock.ts';

/** A warm process keeps it from one reading of the news to the next. */
export interface NewsMemory {
  /** When news are due again, by the elapsed clock. */
  dueAt: number;
  /** The stamp up to which they were read; undefined before the first time. */
  readThrough: Instant | undefined;
  /** How long after its stamp a change has shown lately: news begin that much earlier. In the unit of Instant. */
  lateness: number;
  /** Whether the lateness is a first guess, because no change has shown late so far. */
  isGuess: boolean;
  /** How many rows the last news of a list without order had, per unit of Instant. */
  density: number;
}

/**
 * The share of the known lateness that is kept from one reading of the news to the next. A late change that news find
 * raises the known lateness to its own plus a second, so with nine tenths news keep finding changes that show up to
 * nine seconds late. With half they found only those within a second: in a store of 3,000 groups the others came with
 * the proof, up to 23 s late.
 */
const LATENESS_KEPT = 0.9;
/**
 * The same for the first guess. With nine tenths, a process that polls every 5 s needs two minutes to forget it: with
 * pages of 20 and 20 changes a second, news had fourteen pages instead of nine, and did not fit into the budget.
 */
const GUESS_KEPT = 0.5;
/** How full the page of a part is planned: changes are never spread quite evenly. */
const FILLED_SHARE = 0.8;
/**
 * The most parts that news are planned in: about a third of the requests between two polls that are 5 s apart. If more
 * are needed, sweeps find more with the same requests.
 */
const MOST_PLANNED = 5;
/**
 * After this many requests no further part of the news is begun, not even one that turned out to be full and was cut.
 */
const MOST_PARTS = 8;

export function createNewsMemory(): NewsMemory {
  return { dueAt: 0, readThrough: undefined, lateness: CLOSED_AFTER, isGuess: true, density: 0 };
}

/** Notes a change that polls found only now: how long after its stamp it showed. Lateness is at least a second. */
export function noteLateness(memory: NewsMemory, updatedAt: Instant): void {
  const late = (memory.readThrough ?? updatedAt) - updatedAt;
  if (late > 0) memory.isGuess = false;
  memory.lateness = Math.min(CLOSED_AFTER, Math.max(memory.lateness, late + SECOND));
}

/** Reduces the lateness: a little if changes have shown late, else by half. */
export function forgetLateness(memory: NewsMemory): void {
  memory.lateness = Math.max(SECOND, memory.lateness * (memory.isGuess ? GUESS_KEPT : LATENESS_KEPT));
}

export interface NewsParts {
  /** Rows of a full page. */
  readonly fullPage: number;
  readonly memory: Pick<NewsMemory, 'density'>;
}

export interface NewsOptions extends Pick<Reader, 'fetch' | 'take'> {
  /** @default MAX_TAIL_PAGES */
  readonly maxPages?: number | undefined;
  /** How to read a list without order. */
  readonly inParts?: NewsParts | undefined;
  readonly stamps: () => StampsState;
  /** The current time at the service. */
  readonly now: () => Instant;
}

/** Everything updated from an instant on, as far ahead as plausible stamps may run. */
export function tailFrom(from: Instant, { now, stamps }: Pick<NewsOptions, 'now' | 'stamps'>) {
  return { updated: { from, to: now() + askedAhead(stamps()) } };
}

/**
 * Reads what was updated from an instant on, page by page, as long as most of a page’s rows are new. Where the list has
 * no order, a second page mostly repeats the first: such news are read in parts of one page, unless they have many.
 *
 * @returns the number of requests
 */
export async function readNews(from: Instant, options: NewsOptions): Promise<number> {
  const range = tailFrom(from, options);
  const { inParts, now, stamps } = options;
  if (inParts === undefined) return (await readOn(range, options)).requests;
  const { memory, fullPage } = inParts;
  const until = Math.min(stampsTime(stamps(), now()) ?? now(), range.updated.to);
  const parts = Math.max(1, Math.ceil((memory.density * (until - from)) / (FILLED_SHARE * fullPage)));
  const { requests, rows } =
    parts > MOST_PLANNED
      ? await readOn(range, options)
      : await readInParts(cutEvenly(range.updated, until, parts), fullPage, options);
  memory.density = until > from ? rows / (until - from) : 0;
  return requests;
}

interface NewsRead {
  readonly requests: number;
  /** An estimate of all rows, from the rows that were read. */
  readonly rows: number;
}

/** @param first the range's first page, if it was read just before: it counts as a request */
async function readOn(range: Range, options: NewsOptions, first?: Page): Promise<NewsRead> {
  const { maxPages = MAX_TAIL_PAGES } = options;
  const seen = new Set<string>();
  let offset = 0;
  for (let requests = 1; ; requests += 1) {
    const isFirst = requests === 1 && first !== undefined;
    const page = isFirst ? first : await readPage(range, offset, options).catch(endOutOfReach);
    if (page === undefined || requests === maxPages) return { requests, rows: 2 * seen.size };
    const known = seen.size;
    for (const row of page.rows) seen.add(identityOf(row));
    if (isShort(page)) return { requests, rows: seen.size };
    // In a list without order, a page that mostly repeats known rows shows that about as many were not seen.
    if (2 * (seen.size - known) <= page.rows.length) return { requests, rows: 2 * seen.size };
    offset += page.rows.length;
  }
}

async function readInParts(
  newestFirst: readonly Part[],
  fullPage: number,
  options: NewsOptions,
): Promise<NewsRead> {
  const parts = [...newestFirst];
  const seen = new Set<string>();
  let requests = 0;
  while (requests < MOST_PARTS) {
    const part = parts.shift();
    if (part === undefined) break;
    const page = await readPage({ updated: part }, 0, options);
    requests += 1;
    for (const row of page.rows) seen.add(identityOf(row));
    if (page.rows.length < fullPage) continue;
    const halves = halve(part, page);
    // Many rows have the same stamp.
    if (halves.length === 0) requests += (await readOn({ updated: part }, options, page)).requests - 1;
    parts.push(...halves);
  }
  return { requests, rows: seen.size + parts.length * fullPage };
}

/** Cuts the time up to now evenly, the newest part first; that one ends where the range does. */
function cutEvenly({ from, to }: Part, until: Instant, count: number): readonly Part[] {
  const starts = Array.from(
    { length: count },
    (_, index) => from + Math.floor((index * (until - from)) / count),
  );
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] ?? to })).reverse();
}

interface Part {
  readonly from: Instant;
  readonly to: Instant;
}

/** Cuts a part in the middle of the rows that its full page shows; the rows may all have the same stamp. */
function halve({ from, to }: Part, { rows }: Page): readonly Part[] {
  const stamps = rows.flatMap(({ updatedAt }) => updatedAt ?? []).sort((a, b) => a - b);
  const middle = stamps[Math.floor(stamps.length / 2)];
  if (middle === undefined || middle <= from || middle >= to) return [];
  return [
    { from: middle, to },
    { from, to: middle },
  ];
}

function endOutOfReach(error: unknown): undefined {
  if (!(error instanceof PageOutOfReach)) throw error;
}
