// Reads the newest rows early: readings are saved, and nothing is proved. Rows may be missed, because they moved
// between two pages or because the list has no order; the next proof reads them. So reading ends when another page
// would have few new rows.
import { type Instant, SECOND } from '../instant.ts';
import { CLOSED_AFTER, MAX_TAIL_PAGES } from '../limits.ts';
import type { StampsState } from '../source/source-state.ts';
import { identityOf, PageOutOfReach } from './page.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { askedAhead } from './stamps-clock.ts';

/** A warm process keeps it from one reading of the news to the next. */
export interface NewsMemory {
  /** When news are due again, by the elapsed clock. */
  dueAt: number;
  /** The stamp up to which they were read; undefined before the first time. */
  readThrough: Instant | undefined;
  /** How long after its stamp a change has shown lately: news begin that much earlier. In the unit of Instant. */
  lateness: number;
}

/** The share of the known lateness that is kept if news don’t show it again. */
const LATENESS_KEPT = 0.5;

export function createNewsMemory(): NewsMemory {
  return { dueAt: 0, readThrough: undefined, lateness: CLOSED_AFTER };
}

/** Takes note of a change that polls found only now: how long after its stamp it showed. */
export function noteLateness(memory: NewsMemory, updatedAt: Instant): void {
  const late = (memory.readThrough ?? updatedAt) - updatedAt;
  if (late > 0) memory.lateness = Math.min(CLOSED_AFTER, Math.max(memory.lateness, late + SECOND));
}

/** Reduces the known lateness a little. */
export function forgetLateness(memory: NewsMemory): void {
  memory.lateness = Math.max(SECOND, memory.lateness * LATENESS_KEPT);
}

export interface NewsOptions extends Pick<Reader, 'fetch' | 'take'> {
  /** @default MAX_TAIL_PAGES */
  readonly maxPages?: number | undefined;
  readonly stamps: () => StampsState;
  /** The current time at the service. */
  readonly now: () => Instant;
}

/** Everything updated from an instant on, as far ahead as honest stamps may run. */
export function tailFrom(from: Instant, { now, stamps }: Pick<NewsOptions, 'now' | 'stamps'>) {
  return { updated: { from, to: now() + askedAhead(stamps()) } };
}

/**
 * Reads what was updated from an instant on, page by page, as long as most of a page’s rows are new.
 *
 * @returns the number of requests
 */
export async function readNews(from: Instant, options: NewsOptions): Promise<number> {
  const range = tailFrom(from, options);
  const { maxPages = MAX_TAIL_PAGES } = options;
  const seen = new Set<string>();
  let offset = 0;
  for (let requests = 1; ; requests += 1) {
    const page = await readPage(range, offset, options).catch(endOutOfReach);
    if (page === undefined || requests === maxPages) return requests;
    const known = seen.size;
    for (const row of page.rows) seen.add(identityOf(row));
    if (isShort(page) || 2 * (seen.size - known) <= page.rows.length) return requests;
    offset += page.rows.length;
  }
}

function endOutOfReach(error: unknown): undefined {
  if (!(error instanceof PageOutOfReach)) throw error;
}
