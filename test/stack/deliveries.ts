// How events are delivered to functions. AWS guarantees that they arrive, but possibly more than once, on a bus in any
// order, and at several processes.
import { createSeededRandom } from '../fakes/seeded-random.ts';

type Invoke = (event: unknown) => Promise<unknown>;

export interface Deliveries {
  /** Number of processes of each function, which are invoked in turn. */
  readonly environments: number;
  /** The delivery through the mapping of a FIFO queue. */
  ofQueue(invoke: Invoke): Invoke;
  /** The delivery to a rule's target. */
  ofRule(invoke: Invoke): Invoke;
}

/** Delivers each event once, in order, to one process. */
export const ONCE_IN_ORDER: Deliveries = {
  environments: 1,
  ofQueue: (invoke) => invoke,
  ofRule: (invoke) => invoke,
};

/**
 * The worst delivery that AWS allows. Each batch of a queue arrives twice, and all batches again at the end. Events for a
 * rule arrive only at the end, twice and shuffled.
 */
export interface Disorder extends Deliveries {
  /** Delivers the remaining events. Resolves when all functions are done. */
  release(): Promise<void>;
}

export function createDisorder(seed: number): Disorder {
  const random = createSeededRandom(seed);
  const again: (() => Promise<unknown>)[] = [];
  const held: (() => Promise<unknown>)[] = [];
  return {
    environments: 2,
    ofQueue: (invoke) => async (event) => {
      const answer = await invoke(event);
      await invoke(event);
      again.push(() => invoke(event));
      return answer;
    },
    ofRule: (invoke) => async (event) => {
      held.push(
        () => invoke(event),
        () => invoke(event),
      );
    },
    async release() {
      const shuffled = held
        .splice(0)
        .map((deliver) => ({ deliver, place: random.next() }))
        .sort((a, b) => a.place - b.place);
      for (const deliver of again.splice(0)) await deliver();
      for (const { deliver } of shuffled) await deliver();
    },
  };
}
