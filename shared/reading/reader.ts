// How a range is read: what asks for its pages, what takes them in, and how far that may go.
import type { DepthKeeper } from './list-depth.ts';
import type { FetchPage, Page } from './page.ts';

export interface Reader {
  readonly fetch: FetchPage;
  /** Called with each page as it comes, before the next is asked for. */
  readonly take: (page: Page) => Promise<void>;
  /** Whether a page below both SHORT_PAGE bounds ends a list (R1: polls alone, and only once a full page was seen). */
  readonly trustsShortPages: boolean;
  /** Pages that a range may have (R3). */
  readonly maxPages: number;
  /**
   * Whether there is room to read on where a range is read in pieces; what is left of it stays unproved.
   *
   * @default there always is
   */
  readonly hasRoom?: () => boolean;
  /**
   * How far lists can be paged.
   *
   * @default as far as they go: each empty page is an end
   */
  readonly depth?: DepthKeeper | undefined;
}
