// The readers that a competent user would write without the feed, in virtual time and at their best: they page up to an
// empty page, use their whole allowance of requests, and wait no longer than it requires.
import { MILLISECOND } from '../../shared/instant.ts';
import { createTurns } from '../readers/paced-client.ts';
import { createUsualPoller, type PollerOptions, WHOLE_LIST } from '../readers/usual-poller.ts';
import { statusesOf } from '../usual-poller/usual-poller.ts';
import { type FreshnessWorld, RATE_LIMIT } from './freshness-world.ts';
import type { StatusChange } from './measure.ts';

export interface OrdinaryReader {
  readonly sightings: readonly StatusChange[];
  /** The number of requests sent when it had read the whole list, for each time. */
  readonly walksEndedAt: readonly number[];
  /** Reads until it is stopped. */
  run(): Promise<void>;
  stop(): void;
}

const KINDS = {
  usual: { lookbackMs: 30_000 },
  'whole-list': WHOLE_LIST,
} satisfies Record<string, PollerOptions>;

export type OrdinaryKind = keyof typeof KINDS;

/** Requests that it sends without a pause between them, within its allowance for a minute. */
const BURST = 25;

export function createOrdinaryReader(
  world: FreshnessWorld,
  kind: OrdinaryKind,
  everyMs: number,
): OrdinaryReader {
  const { time } = world;
  const clock = { now: () => time.now() / MILLISECOND, sleep: time.sleep };
  const waitForTurn = createTurns({ clock, perMinute: RATE_LIMIT, burst: BURST });
  const known = new Map<string, string>(world.opening);
  const sightings: StatusChange[] = [];
  const walksEndedAt: number[] = [];
  let isStopped = false;

  const poll = createUsualPoller(askPage, clock, learn, KINDS[kind]);

  /** Returns empty pages once the reader is stopped, which end its poll. */
  async function askPage(query: Readonly<Record<string, string>>) {
    if (isStopped) return [];
    await waitForTurn();
    const { status, groups } = await world.ask('/v2/return-groups', new URLSearchParams(query));
    if (status !== 200) throw new Error(`The service answered ${status} to an ordinary reader.`);
    return groups.map((group) => ({
      updatedAtMs: group.updated_at / MILLISECOND,
      states: statusesOf(group),
    }));
  }

  function learn(entity: string, status: string): void {
    if (known.get(entity) === status) return;
    known.set(entity, status);
    sightings.push({ at: time.now(), entity, status });
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
