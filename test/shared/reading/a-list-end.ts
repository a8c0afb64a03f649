// A list of twenty rows, a reader that may look behind its end, and what is known of its depth.
import { HOUR, MINUTE } from '../../../shared/instant.ts';
import { type SeenList, seenInPage } from '../../../shared/reading/confirm-end.ts';
import { type DepthKeeper, type ListDepth, UNKNOWN_DEPTH } from '../../../shared/reading/list-depth.ts';
import type { Page, PageRequest, Range } from '../../../shared/reading/page.ts';
import { anUnreadableRow, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

export const RANGE = { created: { from: NOON - 10 * HOUR, to: NOON } };
export const OF_ALL = { created: { from: undefined, to: NOON } };

/** Rows that were created so far apart. */
export function everySoOften(gap: number) {
  return Array.from({ length: 20 }, (_, index) => aRow(index, { createdAt: NOON - (20 - index) * gap }));
}

export const ROWS = everySoOften(MINUTE);

export function keeperOf(depth: Partial<ListDepth> = {}): DepthKeeper & { known: ListDepth } {
  const keeper = {
    known: { ...UNKNOWN_DEPTH, ...depth },
    current: () => keeper.known,
    learn(_: Range, change: (depth: ListDepth) => ListDepth) {
      keeper.known = change(keeper.known);
    },
  };
  return keeper;
}

export function readerOf(depth: DepthKeeper | undefined, answer: (request: PageRequest) => Page) {
  const requests: PageRequest[] = [];
  const taken: Page[] = [];
  return {
    requests,
    taken,
    depth,
    maxPages: 50,
    trustsShortPages: false,
    async fetch(request: PageRequest) {
      requests.push(request);
      return answer(request);
    },
    async take(page: Page) {
      taken.push(page);
    },
  };
}

export const seen = (rows: Page['rows'] = ROWS): SeenList => seenInPage({ rows });

/** Unreadable rows that show one stamp or none. */
export const UNSTAMPED = [
  anUnreadableRow(91),
  { ...anUnreadableRow(92), createdAt: NOON - HOUR },
  { ...anUnreadableRow(93), updatedAt: NOON - HOUR },
];
