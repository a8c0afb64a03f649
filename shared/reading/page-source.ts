// The service's list as reading sees it: ranges become bounds, and a page size that the service refuses is halved
// until it takes it (R1). Clamping is nothing to learn: reading goes on by the rows it gets.
import { PAGE_LIMIT, SHORT_PAGE_ROWS } from '../limits.ts';
import type { Purpose } from '../pacing/budget-state.ts';
import type { PacedRequests } from '../pacing/paced-requests.ts';
import {
  AnswerTooLargeError,
  mayBeAboutRequest,
  ValidationRejectedError,
} from '../returns-service/errors.ts';
import type { StampsState } from '../source/source-state.ts';
import { boundsOf } from './bounds.ts';
import { ownRowsOf } from './own-rows.ts';
import { type FetchPage, type Page, PageOutOfReach } from './page.ts';

/** Rows of a page that is small enough for any service, and for no poll the end of its list (R1). */
const FEW_ROWS = SHORT_PAGE_ROWS;

export interface PageSourceOptions {
  readonly requests: PacedRequests;
  readonly purpose: Purpose;
  /** What is known of the service's stamps at the moment of asking. */
  readonly stamps: () => StampsState;
  /** Rows to a page that the service is known to accept; kept with the source's state. */
  readonly pageLimit: { current: number };
  /** Ends a request under way. */
  readonly signal?: AbortSignal | undefined;
  /** Sees every page first, with what the client says of it. */
  readonly observe: (page: Page, drift: readonly string[]) => void;
  /** Told where a list could not be paged on. */
  readonly refusedFrom: (offset: number) => void;
}

/** @throws PageOutOfReach where a page behind a list's first fails for good; else what {@link PacedRequests.send} throws, a 422 on anything but `limit` included. */
export function createPageSource(options: PageSourceOptions): FetchPage {
  const { requests, purpose, stamps, pageLimit, observe, refusedFrom, signal } = options;
  const fetchPage: FetchPage = async ({ range, offset, limit = PAGE_LIMIT, expect = 1 }) => {
    let most = limit;
    for (;;) {
      const asked = Math.max(1, Math.min(most, pageLimit.current));
      const query = { ...boundsOf(range, stamps()), limit: asked, ...(offset === 0 ? {} : { offset }) };
      try {
        const sent = await requests.send(purpose, (client) => client.listReturnGroups(query, { signal }), {
          expect,
        });
        const { rows, bytes, drift } = sent.answer;
        const page = { rows, bytes, asked, sentAt: sent.sentAt, receivedAt: sent.receivedAt };
        observe(page, drift);
        return page;
      } catch (error) {
        if (refusesLimit(error) && asked > 1 && offset === 0) {
          pageLimit.current = halved(asked);
        } else if (refusesLimit(error) && asked > FEW_ROWS) {
          // The first page's limit was taken: here it is the sum of limit and offset that is refused.
          most = halved(asked);
        } else if (offset === 0 && asked > FEW_ROWS && mayBeAboutSize(error)) {
          // Where a few rows can be had, the page was too large. Where the service fails as a whole, they can't.
          const few = await fetchPage({ range, offset, limit: FEW_ROWS, expect }).catch(() => undefined);
          if (few === undefined) throw error;
          pageLimit.current = halved(asked);
          return few;
        } else if (offset > 0 && mayBeAboutRequest(error)) {
          // The list's first page was read just before. Where the service fails as a whole, the next first page says so.
          refusedFrom(offset);
          throw new PageOutOfReach(`No page could be had from row ${offset} on.`, { cause: error });
        } else throw error;
      }
    }
  };
  return fetchPage;
}

/** Ten rows are tried before fewer: a smaller page can end no list (R1). */
function halved(limit: number): number {
  const half = Math.floor(limit / 2);
  return limit > FEW_ROWS ? Math.max(half, FEW_ROWS) : half;
}

/** Whether a page may have failed for its size: what it holds took too long, or was too much to send. */
function mayBeAboutSize(error: unknown): boolean {
  return mayBeAboutRequest(error) && (error.retryable || error instanceof AnswerTooLargeError);
}

function refusesLimit(error: unknown): boolean {
  return error instanceof ValidationRejectedError && error.parameters.includes('limit');
}

/** Asks for one group by its id. The page holds it, be it unreadable, or nothing where the look-up was in vain. */
export function createLookUp(options: Omit<PageSourceOptions, 'stamps' | 'pageLimit' | 'refusedFrom'>) {
  const { requests, purpose, observe, signal } = options;
  return async function lookUp(groupId: number): Promise<Page> {
    const query = { returnGroupId: groupId };
    const sent = await requests.send(purpose, (client) => client.listReturnGroups(query, { signal }));
    const { rows, bytes, drift } = sent.answer;
    const page = { rows: ownRowsOf(groupId, rows), bytes, sentAt: sent.sentAt, receivedAt: sent.receivedAt };
    observe(page, drift);
    return page;
  };
}
