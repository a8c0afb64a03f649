// The readers that a competent user would write without the feed, in virtual time and at their best: they page up to an
// empty page, use their whole allowance of requests, and wait no longer than it requires.
import { MILLISECOND } from '../../shared/instant.ts';
import { type RunningReader, rateLimitOf, type VirtualWorld } from './bench-world.ts';
import type { Change } from './measure.ts';
import { createUsualPoller, type OrdinaryKind, statusesOf } from './usual-poller.ts';

/** Requests that it sends without a pause between them, within its allowance for a minute. */
const BURST = 25;

export function startOrdinaryReader(world: VirtualWorld, kind: OrdinaryKind): RunningReader {
  const { time, setting } = world;
  const clock = { now: () => time.now() / MILLISECOND, sleep: time.sleep };
  const waitForTurn = createTurns({ clock, perMinute: rateLimitOf(setting), burst: BURST });
  const known = new Map(world.opening);
  const sightings: Change[] = [];
  const stopping = new AbortController();
  let failure: unknown;

  async function ask(query: Readonly<Record<string, string>>) {
    await waitForTurn();
    const { status, groups } = await world.ask('/v2/return-groups', new URLSearchParams(query));
    if (status !== 200) throw new Error(`The service answered ${status} to an ordinary reader.`);
    return groups.map((group) => ({
      updatedAtMs: group.updated_at / MILLISECOND,
      statuses: statusesOf(group),
    }));
  }

  function learn(entity: string, state: string): void {
    if (known.get(entity) === state) return;
    known.set(entity, state);
    sightings.push({ at: time.now(), entity, state });
  }

  /** Polls at regular times, or immediately if the last poll took longer. */
  async function pollOnAndOn(): Promise<void> {
    const poll = createUsualPoller(kind, ask, learn, clock.now());
    let next = clock.now();
    while (!stopping.signal.aborted) {
      await poll();
      next = Math.max(next + setting.everyMs, clock.now());
      await time.sleep(next - clock.now(), stopping.signal);
    }
  }

  const running = pollOnAndOn().catch((error) => {
    failure = error;
  });
  return {
    isReady: Promise.resolve(),
    sightings: () => sightings,
    notes: () => (failure === undefined ? [] : [String(failure)]),
    stop() {
      stopping.abort();
      return running;
    },
  };
}

interface Pace {
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number;
    sleep(ms: number): Promise<void>;
  };
  /** Requests that the service allows in 60 s. */
  readonly perMinute: number;
  /** Requests without a pause between them. */
  readonly burst: number;
}

/** A request is counted when it is sent, and by the service when it arrives. */
const WINDOW_MS = 60_500;

/**
 * Returns a function that resolves when the next request may be sent. Requests are spread so that a long reading does
 * not wait for the end of a minute.
 */
export function createTurns({ clock, perMinute, burst }: Pace): () => Promise<void> {
  const sent: number[] = [];
  const gapMs = 60_000 / perMinute;
  let left = burst;
  let filledAt = clock.now();

  return async () => {
    for (;;) {
      const now = clock.now();
      left = Math.min(burst, left + (now - filledAt) / gapMs);
      filledAt = now;
      while (sent[0] !== undefined && now - sent[0] >= WINDOW_MS) sent.shift();
      if (left >= 1 && sent.length < perMinute) {
        left -= 1;
        sent.push(now);
        return;
      }
      const oldest = sent.length < perMinute ? now : sent[0]! + WINDOW_MS;
      await clock.sleep(Math.max(oldest - now, (1 - left) * gapMs, 1));
    }
  };
}
