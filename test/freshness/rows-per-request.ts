// Measures how much of the store requests show. A walk is a cycle of our poller over all groups; a pass is any sequence
// of requests, for any purpose, that shows every group at least once.
import type { InProcessService } from '../../local/reference-service/in-process-service.ts';
import { type Instant, SECOND } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import type { Exchange } from './freshness-world.ts';

export interface WalkFigures {
  readonly rowsPerRequest: number | undefined;
  readonly rowsPerRequestAtRest: number | undefined;
  readonly walks: number;
  readonly walkSeconds: number | undefined;
}

interface Walk {
  readonly endedAt: Instant;
  readonly seconds: number;
  readonly share: number;
}

/**
 * @param walksEndedAt numbers of requests sent until the end of each walk
 * @returns means over the walks that ended after the start of the changes, and over those after their end
 */
export function rowsPerRequest(
  exchanges: readonly Exchange[],
  walksEndedAt: readonly number[],
  { control }: InProcessService,
  { changesFrom, changesTo }: { readonly changesFrom: Instant; readonly changesTo: Instant },
): WalkFigures {
  const page = Math.min(PAGE_LIMIT, control.knobs().limitMax);
  const walks = walksEndedAt.flatMap((end, index) => {
    const walk = walkOf(exchanges.slice(walksEndedAt[index - 1] ?? 0, end), page);
    return walk === undefined ? [] : [walk];
  });
  const since = (moment: Instant) => walks.filter(({ endedAt }) => endedAt >= moment);
  const recent = since(changesFrom);
  return {
    rowsPerRequest: mean(recent.map(({ share }) => share)),
    rowsPerRequestAtRest: mean(since(changesTo).map(({ share }) => share)),
    walks: recent.length,
    walkSeconds: mean(recent.map(({ seconds }) => seconds)),
  };
}

/** A walk begins with the first request that does not belong to a poll; polls between its requests count as well. */
function walkOf(exchanges: readonly Exchange[], page: number): Walk | undefined {
  const walk = exchanges.slice(exchanges.findIndex(({ purpose }) => purpose !== 'poll'));
  const [first, last] = [walk[0], walk.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const groups = new Set(walk.flatMap((exchange) => exchange.groups));
  return {
    endedAt: last.at,
    seconds: (last.at - first.at) / SECOND,
    share: groups.size / walk.length / page,
  };
}

export interface PassFigures {
  /** Passes that began and ended since the moment. */
  readonly passes: number;
  /** Their mean length, in seconds; undefined if none ended. */
  readonly passSeconds: number | undefined;
  /** Distinct groups ÷ requests ÷ rows of a page; of the part so far if no pass ended. */
  readonly passShare: number | undefined;
}

/** The consecutive passes from the moment on. */
export function passesSince(
  moment: Instant,
  exchanges: readonly Exchange[],
  { control, store }: InProcessService,
): PassFigures {
  const page = Math.min(PAGE_LIMIT, control.knobs().limitMax);
  const missing = new Set<number>();
  const restart = () => {
    for (const { id, created_at } of store.groups()) if (created_at < moment) missing.add(id);
  };
  const passes: Walk[] = [];
  let from: Exchange | undefined;
  let requests = 0;
  let shown = 0;
  restart();
  for (const exchange of exchanges) {
    if (exchange.at < moment) continue;
    from ??= exchange;
    requests += 1;
    for (const id of exchange.groups) if (missing.delete(id)) shown += 1;
    if (missing.size > 0) continue;
    const seconds = (exchange.at - from.at) / SECOND;
    passes.push({ endedAt: exchange.at, seconds, share: shown / requests / page });
    from = undefined;
    requests = 0;
    shown = 0;
    restart();
  }
  return {
    passes: passes.length,
    passSeconds: mean(passes.map(({ seconds }) => seconds)),
    passShare: mean(passes.map(({ share }) => share)) ?? (requests > 0 ? shown / requests / page : undefined),
  };
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
