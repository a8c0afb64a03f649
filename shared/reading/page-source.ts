// The service's list as reading uses it: ranges become bounds, and a page size that the service refuses, or can't send
// in time, is halved until it is accepted (R1). A clamped page size needs no handling: reading continues after the rows
// that it gets.
import { PAGE_LIMIT, SHORT_PAGE_ROWS } from '../limits.ts';
import type { Purpose } from '../pacing/budget-state.ts';
import { DeadlineReached, NotTriedAgain } from '../pacing/errors.ts';
import type { PacedRequests } from '../pacing/paced-requests.ts';
import {
  AnswerTooLargeError,
  mayBeAboutRequest,
  ValidationRejectedError,
} from '../returns-service/errors.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import type { StampsState } from '../source/source-state.ts';
import { boundsOf } from './bounds.ts';
import { ownRowsOf } from './own-rows.ts';
import { type FetchPage, type Page, PageOutOfReach, type Range } from './page.ts';

/** A page size that nearly any service accepts. A full page of it is never short enough to end a poll's list (R1). */
const FEW_ROWS = SHORT_PAGE_ROWS;

export interface PageSourceOptions {
  readonly requests: PacedRequests;
  readonly purpose: Purpose;
  /** The knowledge of the service's stamps at the time of the request. */
  readonly stamps: () => StampsState;
  /** Rows per page that the service accepts; stored with the source's state. */
  readonly pageLimit: { current: number };
  /**
   * Further conditions of the list, besides its range.
   *
   * @default all rows of the range
   */
  readonly filter?: Pick<ReturnGroupsQuery, 'orderName' | 'trackingCode'> | undefined;
  /** Aborts a request under way. */
  readonly signal?: AbortSignal | undefined;
  /** Called first with every page and the drift that the client found in it. */
  readonly observe: (page: Page, drift: readonly string[]) => void;
  /** Called with the list and the offset at which it could not be paged on. */
  readonly refusedFrom: (range: Range, offset: number) => void;
}

/**
 * Fetches pages of the list.
 *
 * @throws PageOutOfReach if a page behind a list's first fails for good
 * @throws what {@link PacedRequests.send} throws, including a 422 on anything but `limit`
 */
export function createPageSource(options: PageSourceOptions): FetchPage {
  const { requests, purpose, stamps, pageLimit, observe, refusedFrom, filter, signal } = options;
  const fetchPage: FetchPage = async ({ range, offset, limit = PAGE_LIMIT, expect = 1 }) => {
    const askForFewAfter = (failure: unknown) =>
      fetchPage({ range, offset: 0, limit: FEW_ROWS, expect }).catch((error: unknown) => {
        // The range was too long for this tick, and is shorter in the next.
        if (error instanceof DeadlineReached)
          throw new DeadlineReached(error.message, { cause: error.cause ?? failure });
        return undefined;
      });
    let most = limit;
    let isWell = false;
    for (;;) {
      const asked = Math.max(1, Math.min(most, pageLimit.current));
      const query = {
        ...filter,
        ...boundsOf(range, stamps()),
        limit: asked,
        ...(offset === 0 ? {} : { offset }),
      };
      try {
        const sent = await requests.send(purpose, (client) => client.listReturnGroups(query, { signal }), {
          expect,
        });
        const { rows, bytes, drift } = sent.answer;
        const page = { rows, bytes, asked, sentAt: sent.sentAt, receivedAt: sent.receivedAt };
        observe(page, drift);
        return page;
      } catch (error) {
        const isFew = asked <= FEW_ROWS && offset === 0;
        const isUnclear = error instanceof NotTriedAgain && !isWell && !isFew;
        if (isUnclear) isWell = (await askForFewAfter(error)) !== undefined;
        if (isUnclear && !isWell) throw error;
        // The service may have been down as a whole, and works again. A first page is tried again before its size is
        // halved, because pages then stay smaller for long. A later page is not: if later pages hang, each range has
        // one, and two tries for each would take the whole tick.
        if (isUnclear && offset === 0) continue;
        if (refusesLimit(error) && asked > 1 && offset === 0) {
          pageLimit.current = halved(asked);
        } else if (refusesLimit(error) && asked > FEW_ROWS) {
          // The service accepted the limit for the first page: here it refuses the sum of limit and offset.
          most = halved(asked);
        } else if (offset === 0 && !isFew && mayBeAboutSize(error)) {
          // If a few rows arrive, the page was too large. If the service fails as a whole, they don't.
          if (isWell) pageLimit.current = halved(asked);
          const few = await askForFewAfter(error);
          if (few === undefined) throw error;
          pageLimit.current = halved(asked);
          return few;
        } else if (offset > 0 && mayBeAboutRequest(error)) {
          // The first page was read just before. If the service fails as a whole, the next first page shows it.
          refusedFrom(range, offset);
          throw new PageOutOfReach(`No page is available from row ${offset} on.`, { cause: error });
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

/** Whether a page may have failed because of its size: it took too long, or was too large to send. */
function mayBeAboutSize(error: unknown): boolean {
  return mayBeAboutRequest(error) && (error.retryable || error instanceof AnswerTooLargeError);
}

function refusesLimit(error: unknown): boolean {
  return error instanceof ValidationRejectedError && error.parameters.includes('limit');
}

/** Looks up one group by id. The page holds it, even if unreadable, or no row if it is missing. */
export function createLookUp(
  options: Omit<PageSourceOptions, 'stamps' | 'pageLimit' | 'refusedFrom' | 'filter'>,
) {
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
