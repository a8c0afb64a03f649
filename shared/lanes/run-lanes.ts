// Runs the lanes beside each other until nothing is due any more, or the tick's time is over. Each lane has one request
// under way, so a request that hangs delays its lane alone.
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import type { Lane } from './lane.ts';
import type { TickRun } from './tick-run.ts';

/** The tick waits for work that is due within this time, instead of leaving it to the next tick. */
const LINGER = SECOND / 2;

/** @throws the first failure that ends the tick, once no lane is at work any more */
export async function runLanes(run: TickRun, lanes: readonly Lane[]): Promise<void> {
  const failures: unknown[] = [];
  const { clock } = run.session;
  const busy = new Set<Lane>();
  /** Ends the sleep of idle lanes: another lane may have found work for them. */
  let waking = new AbortController();

  function wake(): void {
    waking.abort();
    waking = new AbortController();
  }

  function earliest(): Instant {
    return Math.min(...lanes.map((lane) => lane.dueAt()));
  }

  async function follow(lane: Lane): Promise<void> {
    while (!run.stopped.aborted) {
      const wait = lane.dueAt() - run.now();
      if (wait <= 0) {
        busy.add(lane);
        await lane.work().finally(() => busy.delete(lane));
        wake();
        continue;
      }
      // Nothing is under way, and nothing comes due soon: the tick is over.
      if (busy.size === 0 && earliest() - run.now() > LINGER) return run.stop();
      await clock.sleep(Math.max(1, Math.ceil(Math.min(wait, MOST_SLEEP) / MILLISECOND)), waking.signal);
    }
  }

  run.stopped.addEventListener('abort', wake, { once: true });
  await Promise.all(
    lanes.map((lane) =>
      follow(lane).catch((error: unknown) => {
        if (!(error instanceof DeadlineReached)) failures.push(error);
        run.stop();
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}

/** A lane whose clock was set must not sleep for hours. */
const MOST_SLEEP = 60 * SECOND;
