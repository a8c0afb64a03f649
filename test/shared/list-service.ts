// A list of return groups in memory, as one SQL query per request shows it, with the peculiarities that services have.

import { type Instant, parseStamp, SECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { formatBound, type StampForm } from '../../shared/reading/range.ts';
import type { RequestOptions, ReturnsServiceClient } from '../../shared/returns-service/client.ts';
import {
  RequestTimedOutError,
  type ReturnsServiceError,
  TokenRefusedError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../shared/returns-service/errors.ts';
import { parseReturnGroup } from '../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../../shared/returns-service/return-groups-query.ts';

export interface ListedGroup {
  readonly id: number;
  readonly createdAt: Instant;
  updatedAt: Instant;
  status: string;
  /** Further fields of its row. */
  more?: Readonly<Record<string, unknown>>;
}

export interface ListKnobs {
  /** The place of a group in the list: smaller comes first. @default its id */
  order: (group: ListedGroup) => number;
  /** Rows of a page at most. */
  mostRows: number;
  /** Rows that a join shows of each group: copies, of which limit and offset count the groups, or one per shipment. */
  joins: 'nothing' | 'copies' | 'shipments';
  /** A limit above it is refused, and how. */
  limitRefusedAbove: number;
  refusal: ReturnsServiceError;
  /** Answers without rows are a 404: of ranges, or of look-ups by id. */
  emptyIsNotFound: 'never' | 'range' | 'id';
  lowerIncluded: boolean;
  upperIncluded: boolean;
  stamps: StampForm;
  /** Rows that a list shows, whatever the offset. */
  window: number;
  offsetsRefused: boolean;
  /** Ids of groups that make every answer with them fail, and how. */
  failing: ReadonlySet<number>;
  failsBy: 'error' | 'hang';
  /** Ids of groups that lists leave out; look-ups show them. */
  hidden: ReadonlySet<number>;
  ignoresFilters: boolean;
  /** Every request fails. */
  isDown: boolean;
  isRefused: boolean;
  /** How far its Date is ahead of the clock. */
  dateAhead: number;
  latencyMs: number;
  /** How long a cache gives out the answers that it has kept. */
  keptFor: number;
  /** Whether it does so however it is asked. */
  keepsAlways: boolean;
  /** The age of every other answer. */
  age: number;
}

const ORDINARY: ListKnobs = {
  order: ({ id }) => id,
  ...{ mostRows: 200, joins: 'nothing', limitRefusedAbove: 1_000, lowerIncluded: true, upperIncluded: true },
  ...{ refusal: new ValidationRejectedError('422', {}), emptyIsNotFound: 'never' },
  stamps: { zoned: true, digits: 6 },
  ...{ window: Number.POSITIVE_INFINITY, offsetsRefused: false, ignoresFilters: false },
  ...{ failing: new Set<number>(), failsBy: 'error', hidden: new Set<number>() },
  ...{ isDown: false, isRefused: false, dateAhead: 0, latencyMs: 50 },
  ...{ keptFor: 0, keepsAlways: false, age: 0 },
};

export function createListService(clock: Clock, changes: Partial<ListKnobs> = {}) {
  const knobs: ListKnobs = { ...ORDINARY, ...changes };
  const groups = new Map<number, ListedGroup>();
  const requests: ReturnGroupsQuery[] = [];

  function select(query: ReturnGroupsQuery): ListedGroup[] {
    if (query.returnGroupId !== undefined)
      return [...groups.values()].filter(({ id }) => id === query.returnGroupId);
    const isUpdated = between(query.minUpdatedAt, query.maxUpdatedAt);
    const isCreated = between(query.minCreatedAt, query.maxCreatedAt);
    const shown = [...groups.values()].filter(
      (group) =>
        !knobs.hidden.has(group.id) &&
        (knobs.ignoresFilters || (isUpdated(group.updatedAt) && isCreated(group.createdAt))),
    );
    const place = new Map(shown.map((group) => [group, knobs.order(group)]));
    return shown.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)).slice(0, knobs.window);
  }

  function between(min: string | undefined, max: string | undefined): (stamp: Instant) => boolean {
    const [from, to] = [min, max].map((bound) =>
      bound === undefined ? undefined : parseStamp(bound)?.instant,
    );
    return (stamp) =>
      (from === undefined || (knobs.lowerIncluded ? stamp >= from : stamp > from)) &&
      (to === undefined || (knobs.upperIncluded ? stamp <= to : stamp < to));
  }

  function failureOf(query: ReturnGroupsQuery): ReturnsServiceError | undefined {
    if (knobs.isRefused) return new TokenRefusedError('401', { status: 401 });
    if (knobs.isDown) return statusError(500, '500 for all');
    if ((query.limit ?? 0) > knobs.limitRefusedAbove) return knobs.refusal;
    if ((query.offset ?? 0) > 0 && knobs.offsetsRefused) return new ValidationRejectedError('422 offset', {});
    return undefined;
  }

  const kept = new Map<string, { readonly at: Instant; readonly page: Awaited<ReturnType<typeof answer>> }>();

  async function cached(
    query: ReturnGroupsQuery,
    { timeoutMs = 10_000, signal, skipsCaches }: RequestOptions,
  ) {
    const key = JSON.stringify(query);
    const known = kept.get(key);
    const age = clock.now() - (known?.at ?? Number.NEGATIVE_INFINITY);
    if (known !== undefined && age < knobs.keptFor && (knobs.keepsAlways || !skipsCaches)) {
      await clock.sleep(knobs.latencyMs, signal);
      return { ...known.page, age: Math.floor(age / SECOND) * SECOND };
    }
    const page = await answer(query, timeoutMs, signal);
    if (knobs.keptFor > 0) kept.set(key, { at: clock.now(), page });
    return knobs.age === 0 ? page : { ...page, age: knobs.age };
  }

  async function answer(query: ReturnGroupsQuery, timeoutMs: number, signal: AbortSignal | undefined) {
    const { limit = 50, offset = 0 } = query;
    const selected = select(query);
    const all = knobs.joins === 'shipments' ? selected.flatMap((group) => [group, group]) : selected;
    const shown = all.slice(offset, offset + Math.min(limit, knobs.mostRows));
    const isSlow = knobs.latencyMs > timeoutMs;
    const failure =
      (isSlow ? new RequestTimedOutError('no answer', {}) : failureOf(query)) ??
      (shown.length === 0 && knobs.emptyIsNotFound === kindOf(query) ? statusError(404) : undefined) ??
      (shown.some(({ id }) => knobs.failing.has(id)) ? failureOfRow() : undefined);
    await clock.sleep(failure instanceof RequestTimedOutError ? timeoutMs : knobs.latencyMs, signal);
    if (failure !== undefined) throw failure;
    const rows = shown.flatMap((group, at) => joinedRows(group, all.indexOf(group) === offset + at));
    return {
      rows: rows.map((row) => parseReturnGroup(row)),
      drift: [],
      bytes: 300 * rows.length,
      largestRow: 300,
      date: clock.now() + knobs.dateAhead,
      requestMs: knobs.latencyMs,
    };
  }

  function joinedRows(group: ListedGroup, isFirst: boolean) {
    const row = rowOf(group, knobs.stamps);
    if (knobs.joins === 'copies') return [row, row];
    if (knobs.joins === 'nothing') return [row];
    const shipment = { id: 10 * group.id + (isFirst ? 1 : 2), status: 'IN_TRANSIT' };
    return [{ ...row, shipments: [shipment] }];
  }

  function failureOfRow(): ReturnsServiceError {
    return knobs.failsBy === 'hang'
      ? new RequestTimedOutError('no answer', {})
      : statusError(500, '500 for a row');
  }

  const client: ReturnsServiceClient = {
    listReturnGroups(query, options = {}) {
      requests.push(query);
      return cached(query, options);
    },
  };

  return {
    client,
    knobs,
    /** By id. */
    groups,
    /** All queries, oldest first. */
    requests,
    /** Adds a group; without `updatedAt` it was never changed. */
    add(id: number, createdAt: Instant, updatedAt: Instant = createdAt): ListedGroup {
      const group: ListedGroup = { id, createdAt, updatedAt, status: 'OPEN' };
      groups.set(id, group);
      return group;
    },
    /** Changes a group's status. @param stamp its new stamp; without one its stamp stays */
    change(id: number, status: string, stamp?: Instant): void {
      const group = groups.get(id);
      if (group === undefined) throw new Error(`There is no group ${id}.`);
      group.status = status;
      group.updatedAt = stamp ?? group.updatedAt;
    },
  };
}

/** How a service shows a group. */
export function rowOf({ id, createdAt, updatedAt, status, more }: ListedGroup, form: StampForm): object {
  const stamp = (at: Instant) => formatBound(at, form);
  return {
    id,
    created_at: stamp(createdAt),
    updated_at: stamp(updatedAt),
    returns: [{ id: 10 * id, status, quantity: 1 }],
    shipments: [],
    ...more,
  };
}

export function statusError(status: number, message = `${status}`): UnexpectedStatusError {
  return new UnexpectedStatusError(message, { status, retryAfterMs: undefined });
}

function kindOf({ returnGroupId }: ReturnGroupsQuery): 'range' | 'id' {
  return returnGroupId === undefined ? 'range' : 'id';
}
