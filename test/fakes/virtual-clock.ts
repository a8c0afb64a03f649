// Time for tests: it stands still while anything runs and goes from sleeper to sleeper when all wait. Sleepers wake
// one by one, in the order of their time, then of their going to sleep, each with everything that follows from it
// done before the next wakes; so a run depends on nothing but its inputs. Clocks of several machines, each wrong in
// its own way, can tell the same time.
import { DAY, type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';

/** How one machine's clock differs from the true time. */
export interface Wrongness {
  /** Added to the true time by `now`. @default 0 */
  readonly ahead?: number;
  /** What `elapsed` tells at the start. @default 0 */
  readonly elapsed?: number;
  /** How fast it goes; a clock at 1.001 tells a second more for each thousand. @default 1 */
  readonly rate?: number;
}

export interface MachineClock extends Clock {
  /** Sets `now` forward, or back; `elapsed` goes on as it did. */
  jump(by: number): void;
  /** Takes so long from `elapsed`, as if the machine had been suspended while time and `now` went on. */
  suspend(by: number): void;
}

export interface VirtualClock extends Clock {
  /** Lets so long pass, with all that happens meanwhile. */
  advance(duration: number): Promise<void>;
  /**
   * Lets time pass until the work is done, at most `within`.
   *
   * @throws what the work throws; and when it would never be done: nobody sleeps, or not before that time.
   */
  run<Result>(work: Promise<Result>, within?: number): Promise<Result>;
  /** The clock of a machine that is wrong about this time. */
  machine(wrongness?: Wrongness): MachineClock;
}

/** Some moment to begin at. */
export const VIRTUAL_START: Instant = Date.UTC(2026, 10, 20, 10) * MILLISECOND;

/** @param start the true time at which it begins; {@link Clock.elapsed} begins at 0. */
export function createVirtualClock(start: Instant = VIRTUAL_START): VirtualClock {
  const sleepers = createSleepers();
  let time = 0;
  let going = false;

  const sleep = (durationMs: number, signal?: AbortSignal) =>
    sleepers.add(time + Math.max(0, durationMs) * MILLISECOND, signal);

  /** Goes on from sleeper to sleeper until it is told that it is done or the time is over. */
  async function go(end: number, isDone: () => boolean): Promise<'done' | 'over' | 'nobody sleeps'> {
    if (going) throw new Error('Virtual time is going on already: let one caller alone move it.');
    going = true;
    try {
      for (;;) {
        await everythingElse();
        if (isDone()) return 'done';
        const due = sleepers.nextDue();
        if (due === undefined) return 'nobody sleeps';
        if (due > end) return 'over';
        time = Math.max(time, due);
        sleepers.wakeNext();
      }
    } finally {
      going = false;
    }
  }

  return {
    now: () => start + Math.round(time),
    elapsed: () => Math.round(time),
    sleep,
    async advance(duration) {
      const end = time + duration;
      await go(end, () => false);
      time = end;
    },
    async run(work, within = 365 * DAY) {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      work.then(settle, settle);
      const outcome = await go(time + within, () => settled);
      if (outcome === 'nobody sleeps') throw new Error('The work waits for something that is not time.');
      if (outcome === 'over') throw new Error(`The work is not done after ${within / MILLISECOND} ms.`);
      return work;
    },
    machine: (wrongness = {}) => createMachineClock(start, () => time, sleep, wrongness),
  };
}

/** Resolves when nothing is left to do but what waits for time (or for the world outside, which tests have none of). */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function createMachineClock(
  start: Instant,
  time: () => number,
  sleep: Clock['sleep'],
  { ahead = 0, elapsed = 0, rate = 1 }: Wrongness,
): MachineClock {
  let wallOffset = start + ahead;
  let elapsedOffset = elapsed;
  const began = time();
  const told = () => (time() - began) * rate;
  return {
    now: () => Math.round(began + told() + wallOffset),
    elapsed: () => Math.round(told() + elapsedOffset),
    sleep: (durationMs, signal) => sleep(durationMs / rate, signal),
    jump: (by) => {
      wallOffset += by;
    },
    suspend: (by) => {
      elapsedOffset -= by;
    },
  };
}

interface Sleeper {
  readonly due: number;
  readonly order: number;
  /** Undefined once awake. */
  wake: (() => void) | undefined;
}

interface Sleepers {
  add(due: number, signal: AbortSignal | undefined): Promise<void>;
  nextDue(): number | undefined;
  wakeNext(): void;
}

/** A binary heap. Who is woken by a signal stays in it until its time comes. */
function createSleepers(): Sleepers {
  const heap: Sleeper[] = [];
  let order = 0;

  function nextDue(): number | undefined {
    while (heap[0] !== undefined && heap[0].wake === undefined) popFirst(heap);
    return heap[0]?.due;
  }

  return {
    add(due, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        order += 1;
        const sleeper: Sleeper = { due, order, wake: undefined };
        sleeper.wake = () => {
          sleeper.wake = undefined;
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = () => sleeper.wake?.();
        signal?.addEventListener('abort', onAbort);
        push(heap, sleeper);
      });
    },
    nextDue,
    wakeNext() {
      if (nextDue() !== undefined) popFirst(heap)?.wake?.();
    },
  };
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function push(heap: Sleeper[], sleeper: Sleeper): void {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(sleeper, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = sleeper;
}

function popFirst(heap: Sleeper[]): Sleeper | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    let child = heap[below];
    if (child === undefined) break;
    const right = heap[below + 1];
    if (right !== undefined && isBefore(right, child)) {
      child = right;
      below += 1;
    }
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
