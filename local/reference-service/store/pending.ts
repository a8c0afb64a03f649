// The changes that a view does not show yet, by the instant when they become visible. A binary heap: with late
// visibility that instant is random for each change, so the changes do not arrive in order.

import type { Instant } from '../../../shared/instant.ts';
import type { Change } from './change.ts';

interface Waiting {
  readonly change: Change;
  readonly from: Instant;
}

export interface Pending {
  add(change: Change, from: Instant): void;
  /** Removes and returns the next change that is due by now; undefined if there is none. */
  take(now: Instant): Change | undefined;
  all(): readonly Waiting[];
}

export function createPending(): Pending {
  const heap: Waiting[] = [];

  const isBefore = (one: number, other: number): boolean => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return first !== undefined;
    return (
      first.from < second.from ||
      (first.from === second.from && first.change.sequence < second.change.sequence)
    );
  };

  const swap = (one: number, other: number): void => {
    const moved = heap[one] as Waiting;
    heap[one] = heap[other] as Waiting;
    heap[other] = moved;
  };

  const sink = (): void => {
    for (let at = 0; ; ) {
      const child = isBefore(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1;
      if (child >= heap.length || !isBefore(child, at)) return;
      swap(child, at);
      at = child;
    }
  };

  return {
    add(change, from) {
      heap.push({ change, from });
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >>> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    take(now) {
      const next = heap[0];
      if (next === undefined || next.from > now) return undefined;
      swap(0, heap.length - 1);
      heap.pop();
      sink();
      return next.change;
    },
    all: () => heap,
  };
}
