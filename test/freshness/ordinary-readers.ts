// The readers that a competent user writes without the feed, at their best: they page until an empty page, take their
// whole allowance of requests, and never wait longer than it asks.
import { formatInstant, type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { type FreshnessWorld, RATE_LIMIT, statusesOf } from './freshness-world.ts';
import type { Became } from './measure.ts';

export interface OrdinaryReader {
  readonly sightings: readonly Became[];
  /** When it had read the whole list, as the number of requests sent until then. */
  readonly walksEndedAt: readonly number[];
  /** Reads until it is stopped. */
  run(): Promise<void>;
  stop(): void;
}

/** The usual poller: everything updated since the last poll, less a lookback. `whole-list`: everything. */
export type OrdinaryKind = 'usual' | 'whole-list';

const ASKED_ROWS = 250;
const LOOKBACK = 30 * SECOND;
/** Requests that it sends without a pause between them, within those that it is allowed in a minute. */
const BURST = 25;
const BETWEEN = MINUTE / (RATE_LIMIT - BURST);

export function createOrdinaryReader(
  world: FreshnessWorld,
  kind: OrdinaryKind,
  everyMs: number,
): OrdinaryReader {
  const { time } = world;
  const sightings: Became[] = [];
  const walksEndedAt: number[] = [];
  const known = new Map<string, string>(world.opening);
  const takeSlot = createAllowance(world);
  let newest = time.now();
  let isStopped = false;

  async function readPage(since: Instant | undefined, offset: number): Promise<number> {
    await takeSlot();
    const query = new URLSearchParams({ limit: String(ASKED_ROWS), offset: String(offset) });
    if (since !== undefined) query.set('min_updated_at', formatInstant(since));
    const { status: code, groups } = await world.ask('/v2/return-groups', query);
    if (code !== 200) throw new Error(`The service answered ${code} to an ordinary reader.`);
    for (const group of groups) {
      newest = Math.max(newest, group.updated_at);
      for (const [entity, status] of statusesOf(group)) {
        if (known.get(entity) === status) continue;
        known.set(entity, status);
        sightings.push({ at: time.now(), entity, status });
      }
    }
    return groups.length;
  }

  async function poll(): Promise<void> {
    const since = kind === 'usual' ? newest - LOOKBACK : undefined;
    for (let offset = 0; !isStopped; ) {
      const rows = await readPage(since, offset);
      if (rows === 0) return;
      offset += rows;
    }
  }

  return {
    sightings,
    walksEndedAt,
    async run() {
      while (!isStopped) {
        const next = time.elapsed() + everyMs * MILLISECOND;
        await poll();
        if (kind === 'whole-list') walksEndedAt.push(world.exchanges.length);
        await time.sleep(Math.max(0, next - time.elapsed()) / MILLISECOND);
      }
    },
    stop() {
      isStopped = true;
    },
  };
}

/** A token bucket: never more than the service's limit in any minute. */
function createAllowance({ time }: FreshnessWorld): () => Promise<void> {
  let freeAt = time.elapsed();
  return async () => {
    freeAt = Math.max(freeAt, time.elapsed() - (BURST - 1) * BETWEEN) + BETWEEN;
    await time.sleep(Math.max(0, freeAt - BETWEEN - time.elapsed()) / MILLISECOND);
  };
}
