// How events come to functions. AWS promises that they come, not how often; of a bus not even in which order; and not
// that one process gets them all.
import { createSeededRandom } from '../fakes/seeded-random.ts';

type Invoke = (event: unknown) => Promise<unknown>;

export interface Deliveries {
  /** Processes of each function, which are invoked in turn. */
  readonly environments: number;
  /** Of the mapping of a FIFO queue. */
  ofQueue(invoke: Invoke): Invoke;
  /** Of a rule's target. */
  ofRule(invoke: Invoke): Invoke;
}

/** As they are sent. */
export const ONCE_IN_ORDER: Deliveries = {
  environments: 1,
  ofQueue: (invoke) => invoke,
  ofRule: (invoke) => invoke,
};

/**
 * As badly as may be. A queue's batches come twice, and all of them once more in the end; what a rule matches is held
 * back, and comes in the end, twice and shuffled.
 */
export interface Disorder extends Deliveries {
  /** The end. Resolves when all functions are through. */
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
