// How a range is read: `fetch` requests its pages, `take` receives them, the rest sets how far reading may go.
import type { DepthKeeper } from './list-depth.ts';
import type { FetchPage, Page } from './page.ts';

export interface Reader {
  readonly fetch: FetchPage;
  /** Called with each page as it arrives, before the next request. */
  readonly take: (page: Page) => Promise<void>;
  /**
   * Whether a page below both SHORT_PAGE bounds ends a list (R1: only in polls and operators' searches, once a page of
   * ten rows or more was seen).
   */
  readonly trustsShortPages: boolean;
  /** Pages that a range may have (R3). */
  readonly maxPages: number;
  /**
   * Whether a range that is read in pieces may read on; the rest of it stays unproved.
   *
   * @default there always is room
   */
  readonly hasRoom?: () => boolean;
  /**
   * How far lists can be paged.
   *
   * @default to their end: each empty page is an end
   */
  readonly depth?: DepthKeeper | undefined;
}
