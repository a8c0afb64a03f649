// The readers that a competent user would write without the feed, in virtual time and at their best: they page up to an
// empty page, use their whole allowance of requests, and wait no longer than it requires.
import { MILLISECOND } from '../../shared/instant.ts';
import type { Change } from '../readers/measure.ts';
import { createTurns } from '../readers/paced-client.ts';
import { startPolling } from '../readers/reader.ts';
import { createUsualPoller, type OrdinaryKind } from '../readers/usual-poller.ts';
import { statusesOf } from '../usual-poller/usual-poller.ts';
import { type FreshnessWorld, RATE_LIMIT, type RunningReader } from './freshness-world.ts';

/** Requests that it sends without a pause between them, within its allowance for a minute. */
const BURST = 25;

export function startOrdinaryReader(world: FreshnessWorld, kind: OrdinaryKind): RunningReader {
  const { time, setting } = world;
  const clock = { now: () => time.now() / MILLISECOND, sleep: time.sleep };
  const waitForTurn = createTurns({ clock, perMinute: RATE_LIMIT, burst: BURST });
  const known = new Map(world.opening);
  const sightings: Change[] = [];

  async function ask(query: Readonly<Record<string, string>>) {
    await waitForTurn();
    const { status, groups } = await world.ask('/v2/return-groups', new URLSearchParams(query));
    if (status !== 200) throw new Error(`The service answered ${status} to an ordinary reader.`);
    return groups.map((group) => ({
      updatedAtMs: group.updated_at / MILLISECOND,
      states: statusesOf(group),
    }));
  }

  function learn(entity: string, state: string): void {
    if (known.get(entity) === state) return;
    known.set(entity, state);
    sightings.push({ at: time.now(), entity, state });
  }

  const poll = createUsualPoller(kind, ask, clock, learn);
  const { stop, failure } = startPolling({ poll, clock, everyMs: setting.everyMs });
  return {
    isReady: Promise.resolve(),
    sightings,
    notes: () => [failure() ?? []].flat(),
    stop,
  };
}
