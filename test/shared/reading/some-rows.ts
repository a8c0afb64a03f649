// Minimal rows and pages for examples.
import { HOUR, type Instant } from '../../../shared/instant.ts';
import { type DepthKeeper, type ListDepth, UNKNOWN_DEPTH } from '../../../shared/reading/list-depth.ts';
import type { Page, PageRequest, Range } from '../../../shared/reading/page.ts';
import type { Reader } from '../../../shared/reading/reader.ts';
import type { ReadableRow, UnreadableRow } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { NOON } from './worlds.ts';

export function aRow(
  id: number,
  stamps: Partial<Pick<ReadableRow, 'createdAt' | 'updatedAt' | 'zoned' | 'precision'>> = {},
): ReadableRow {
  const base = { createdAt: NOON - 2 * HOUR, updatedAt: NOON - HOUR, zoned: true, precision: 6 };
  return { kind: 'readable', group: { id } as ReturnGroup, ...base, ...stamps };
}

/** Rows with these ids, all with the same stamps. */
export function rowsOf(...ids: readonly number[]): ReadableRow[] {
  return ids.map((id) => aRow(id));
}

/** Ids from the first to the last, both included. */
export function idsFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** An unreadable row, without an id if none is given. */
export function anUnreadableRow(id?: number, digest = 'alike'): UnreadableRow {
  return { kind: 'unreadable', reason: 'injected by the test', digest, ...(id === undefined ? {} : { id }) };
}

export function aPage(rows: Page['rows'], { bytes = 100_000, at = NOON as Instant } = {}): Page {
  return { rows, bytes, sentAt: at, receivedAt: at };
}

/** The rows that were created within the range; rows without a time at noon. */
export function createdWithin<Row extends { readonly createdAt?: Instant }>(
  { created }: Range,
  rows: readonly Row[],
): Row[] {
  const { from = 0, to = Number.POSITIVE_INFINITY } = created ?? {};
  return rows.filter(({ createdAt = NOON }) => createdAt >= from && createdAt < to);
}

/** The answer to the request by a list of these rows, with so many on a page. */
export function pageWithin({ range, offset }: PageRequest, rows: Page['rows'], pageRows: number): Page {
  return aPage(createdWithin(range, rows).slice(offset, offset + pageRows));
}

export interface ScriptedReader extends Reader {
  readonly requests: PageRequest[];
  readonly taken: Page[];
}

export type ScriptedOptions = Partial<Pick<Reader, 'maxPages' | 'trustsShortPages' | 'depth'>>;

/** A reader with scripted answers that keeps its requests and the pages that it took. */
export function createScriptedReader(
  answer: (request: PageRequest, index: number) => Page,
  { maxPages = 50, trustsShortPages = false, depth }: ScriptedOptions = {},
): ScriptedReader {
  const requests: PageRequest[] = [];
  const taken: Page[] = [];
  return {
    maxPages,
    trustsShortPages,
    depth,
    requests,
    taken,
    async fetch(request) {
      requests.push(request);
      return answer(request, requests.length - 1);
    },
    async take(page) {
      taken.push(page);
    },
  };
}

/** A list of one group per page; its first group changes with each request. */
export function restlessStore(rows: readonly ReadableRow[]): ScriptedReader {
  return createScriptedReader(({ range, offset }, index) => {
    const within = createdWithin(range, rows);
    const first = (index * 7) % Math.max(within.length, 1);
    return aPage([...within.slice(first), ...within.slice(0, first)].slice(offset, offset + 1));
  });
}

/** Answers with one page after the other, for any request; the last one repeats. */
export function pagesInTurn(
  ...pages: readonly Page['rows'][]
): (request: PageRequest, index: number) => Page {
  return (_, index) => aPage(pages[Math.min(index, pages.length - 1)] ?? []);
}

/** The same answers, but requests from this offset on fail. */
export function failingFrom(
  offset: number,
  error: Error,
  answer: (request: PageRequest, index: number) => Page,
): (request: PageRequest, index: number) => Page {
  return (request, index) => {
    if (request.offset >= offset) throw error;
    return answer(request, index);
  };
}

/** Knowledge of how far lists can be paged, which no page changes. */
export function aDepth(known: Partial<ListDepth> = {}): DepthKeeper {
  return { current: () => ({ ...UNKNOWN_DEPTH, ...known }), learn: () => {} };
}
