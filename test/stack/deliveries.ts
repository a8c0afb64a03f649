// How events are delivered to functions. AWS promises that they arrive, but not how often, on a bus not in which order,
// and not that one process gets them all.
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

/** Events arrive as they are sent. */
export const ONCE_IN_ORDER: Deliveries = {
  environments: 1,
  ofQueue: (invoke) => invoke,
  ofRule: (invoke) => invoke,
};

/**
 * The worst delivery that AWS allows. A queue's batches arrive twice, and all of them again at the end; events for a
 * rule are held back, and arrive at the end, twice and shuffled.
 */
export interface Disorder extends Deliveries {
  /** Delivers the rest. Resolves when all functions are done. */
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
