// A service that answers page requests or throws, and the page source in front of it.
import { HOUR } from '../../../shared/instant.ts';
import type { Purpose } from '../../../shared/pacing/budget-state.ts';
import type { PacedRequests, SendOptions } from '../../../shared/pacing/paced-requests.ts';
import type { Page } from '../../../shared/reading/page.ts';
import { createPageSource } from '../../../shared/reading/page-source.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { ValidationRejectedError } from '../../../shared/returns-service/errors.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { NOON } from './worlds.ts';

export const RANGE = { updated: { from: NOON - HOUR, to: NOON } };

export interface Sent {
  readonly purpose: Purpose;
  readonly options: SendOptions | undefined;
  readonly query: ReturnGroupsQuery;
  readonly signal: AbortSignal | undefined;
}

/** Requests that are sent without delay, to a service that answers or throws. */
export function createService(answer: (query: ReturnGroupsQuery) => readonly RowReading[]) {
  const sent: Sent[] = [];
  const observed: [Page, readonly string[]][] = [];
  const requests: PacedRequests = {
    async send(purpose, request, options) {
      const client = {
        async listReturnGroups(query: ReturnGroupsQuery, { signal }: { signal?: AbortSignal }) {
          sent.push({ purpose, options, query, signal });
          return { rows: answer(query), drift: ['a new field'], bytes: 77, requestMs: 1 };
        },
      } as unknown as ReturnsServiceClient;
      const sentAnswer = await request(client);
      return { answer: sentAnswer, sentAt: NOON - 5, receivedAt: NOON + 5, accessHash: '' };
    },
    counters: () => {
      throw new Error('not used here');
    },
  } as PacedRequests;
  return {
    sent,
    observed,
    options: {
      requests,
      purpose: 'poll' as const,
      observe: (page: Page, drift: readonly string[]) => observed.push([page, drift]),
    },
  };
}

export function openList(
  answer: (query: ReturnGroupsQuery) => readonly RowReading[],
  { limit = Number.MAX_SAFE_INTEGER, signal = undefined as AbortSignal | undefined } = {},
) {
  const service = createService(answer);
  const pageLimit = { current: limit };
  const stamps = { ...UNKNOWN_STAMPS, precision: 0 };
  const refused: number[] = [];
  const fetch = createPageSource({
    ...service.options,
    stamps: () => stamps,
    pageLimit,
    refusedFrom: (_, offset) => refused.push(offset),
    signal,
  });
  return { ...service, pageLimit, fetch, refused };
}

/** Refuses requests for more rows than this as invalid, and answers the others. */
export function refuseAbove(limit: number, rows: readonly RowReading[] = []) {
  return (query: ReturnGroupsQuery) => {
    if ((query.limit ?? 0) > limit)
      throw new ValidationRejectedError('refused', { parameters: ['offset', 'limit'] });
    return rows;
  };
}
