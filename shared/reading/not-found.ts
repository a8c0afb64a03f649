// A service may answer 404 where nothing matches; so do a wrong address, a broken route and one of several servers. So a
// 404 is an empty list only for a service that was seen to do so: its list showed rows, and what can't match was a 404,
// several times in turn; and it shows rows now. An answer that is an empty list disproves it, and one that a cache kept
// proves nothing: it comes in an outage as well.
import { type Instant, MINUTE } from '../instant.ts';
import { ReturnsServiceError, UnexpectedStatusError } from '../returns-service/errors.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import { emptyRange, type StampForm } from './range.ts';

interface Seen {
  /** The largest limit with which it answered as such a service does; 0: none. */
  believed: number;
  /** Not looked into with this limit or a larger one before: in an outage each failure would cost more requests. */
  doubted: number;
  notBefore: Instant;
}

/** The memory that a process has of a service. */
export type NotFoundMemory = Readonly<Record<Kind, Seen>>;

/** It may answer these in different ways. */
type Kind = 'range' | 'id';

const NOTHING: Seen = { believed: 0, doubted: 0, notBefore: 0 };

export function createNotFoundMemory(): NotFoundMemory {
  return { range: { ...NOTHING }, id: { ...NOTHING } };
}

/** Answers of each kind in turn: so many that one server of two that knows no list is hardly ever taken for it. */
const TIMES = 5;
const PAUSE = 10 * MINUTE;
/** No group has this id, and any parser accepts it. */
const UNKNOWN_ID = 2_000_000_000;

export interface Asked {
  readonly query: ReturnGroupsQuery;
  readonly now: Instant;
  readonly form: StampForm;
}

interface Sent {
  readonly answer: { readonly rows: readonly unknown[]; readonly age?: number | undefined };
}

/** Notes an answer without a row. */
export function noteEmptyList(memory: NotFoundMemory, query: ReturnGroupsQuery): void {
  memory[kindOf(query)].believed = 0;
}

/**
 * Returns the answer that proves a failure to be an empty list; undefined if it is not proved.
 *
 * @param list sends one request, past caches
 */
export async function proofOfEmptyList<Answer extends Sent>(
  memory: NotFoundMemory,
  failure: unknown,
  { query, now, form }: Asked,
  list: (query: ReturnGroupsQuery) => Promise<Answer>,
): Promise<Answer | undefined> {
  const kind = kindOf(query);
  const seen = memory[kind];
  const { limit = 1 } = query;
  if (!isNotFound(failure) || (now < seen.notBefore && limit >= seen.doubted)) return undefined;
  // A larger limit may be what it refuses.
  const isBelieved = limit <= seen.believed;
  // Also for the other lanes, which ask meanwhile.
  if (!isBelieved) Object.assign(seen, { doubted: limit, notBefore: now + PAUSE });
  const unmatched = kind === 'id' ? { returnGroupId: UNKNOWN_ID } : { ...emptyRange(now, form), limit };
  for (let times = isBelieved ? TIMES : 0; ; times += 1) {
    const shown = await list({ limit: isBelieved ? 1 : limit }).catch(orFailure);
    if ('failure' in shown || shown.answer.rows.length === 0 || (shown.answer.age ?? 0) > 0) break;
    if (times === TIMES) {
      Object.assign(seen, { believed: Math.max(limit, seen.believed), notBefore: 0 });
      return shown;
    }
    const nothing = await list(unmatched).catch(orFailure);
    if (!('failure' in nothing && isNotFound(nothing.failure))) break;
  }
  if (isBelieved) Object.assign(seen, { doubted: 0, notBefore: now + MINUTE });
  return undefined;
}

function kindOf({ returnGroupId }: ReturnGroupsQuery): Kind {
  return returnGroupId === undefined ? 'range' : 'id';
}

function isNotFound(failure: unknown): boolean {
  return failure instanceof UnexpectedStatusError && failure.status === 404;
}

function orFailure(failure: unknown): { readonly failure: ReturnsServiceError } {
  if (!(failure instanceof ReturnsServiceError)) throw failure;
  return { failure };
}
