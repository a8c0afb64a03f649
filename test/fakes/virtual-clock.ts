// Virtual time for tests: it does not move while anything runs, and moves to the next sleeper when everything waits.
// Sleepers wake one by one, in the order of their time and then of their calls, and all work that follows from one is
// done before the next wakes. A run therefore depends only on its inputs. Several machines can have clocks on the same
// time, each with an error of its own. Durations are in the unit of Instant (microseconds), except those of `sleep`.
import { DAY, type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';

/** How one machine's clock differs from the true time. */
export interface Wrongness {
  /** Added to the true time by `now`. @default 0 */
  readonly ahead?: number;
  /** The value of `elapsed` at the start. @default 0 */
  readonly elapsed?: number;
  /** Its speed: a clock at 1.001 gains a second in a thousand. @default 1 */
  readonly rate?: number;
}

export interface MachineClock extends Clock {
  /** Sets `now` forward or back; `elapsed` is unaffected. */
  jump(by: number): void;
  /**
   * Subtracts a duration from `elapsed`, as if the machine had been suspended while time and `now` continued. If it is
   * longer than the time since `elapsed` was last read, the next reading throws: no elapsed clock goes back.
   */
  suspend(by: number): void;
}

export interface VirtualClock extends Clock {
  /** Moves time by the duration, and wakes every sleeper that is due. */
  advance(duration: number): Promise<void>;
  /**
   * Moves time until the work is done, by at most `within`.
   *
   * @throws the work's own error, or an error if the work can't finish because nothing sleeps, or nothing until that
   * time
   */
  run<Result>(work: Promise<Result>, within?: number): Promise<Result>;
  /** The clock of a machine that deviates from this time. */
  machine(wrongness?: Wrongness): MachineClock;
}

/** An arbitrary start. */
export const VIRTUAL_START: Instant = Date.UTC(2026, 10, 20, 10) * MILLISECOND;

/** @param start the true time at the start; {@link Clock.elapsed} starts at 0. */
export function createVirtualClock(start: Instant = VIRTUAL_START): VirtualClock {
  const sleepers = createSleepers();
  let time = 0;
  let going = false;

  const sleep = (durationMs: number, signal?: AbortSignal) =>
    sleepers.add(time + Math.max(0, durationMs) * MILLISECOND, signal);

  /** Wakes one sleeper after the other until the work is done or the next one is due after the end. */
  async function go(end: number, isDone: () => boolean): Promise<'done' | 'over' | 'nothing sleeps'> {
    if (going) throw new Error('Virtual time is already moving: only one caller may move it at a time.');
    going = true;
    try {
      for (;;) {
        await everythingElse();
        if (isDone()) return 'done';
        const due = sleepers.nextDue();
        if (due === undefined) return 'nothing sleeps';
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
      if (outcome === 'nothing sleeps') throw new Error('The work waits for something that is not time.');
      if (outcome === 'over') throw new Error(`The work is not done after ${within / MILLISECOND} ms.`);
      return work;
    },
    machine: (wrongness = {}) => createMachineClock(start, () => time, sleep, wrongness),
  };
}

/** Resolves when everything left waits for virtual time (or for real I/O, which tests do not use). */
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
  const sinceBegin = () => (time() - began) * rate;
  let lastRead = Number.NEGATIVE_INFINITY;
  return {
    now: () => Math.round(began + sinceBegin() + wallOffset),
    elapsed: () => {
      const value = Math.round(sinceBegin() + elapsedOffset);
      // Rounding may take one.
      if (value < lastRead - 1)
        throw new Error(`An elapsed clock went back by ${lastRead - value} microseconds.`);
      lastRead = value;
      return value;
    },
    sleep: (durationMs, signal) => sleep(durationMs / rate, signal),
    jump: (by) => {
      wallOffset += by;
    },
    suspend: (by) => {
      elapsedOffset -= by * rate;
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

/** A binary heap. A sleeper woken by a signal stays in it until its time. */
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
