// The destinations: the FIFO queue, which drops ids that it received in the last five minutes, and the bus.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Instant } from '../../../shared/instant.ts';

export interface Arrival {
  readonly at: Instant;
  readonly event: FeedEvent;
}

export interface Arrivals {
  readonly name: 'queue' | 'bus';
  /** The arrivals, in the order in which subscribers receive them. */
  readonly all: readonly Arrival[];
  accept(event: FeedEvent): void;
}

/** @param deduplicatesFor how long a repeated id is dropped; 0 for never */
export function createArrivals(
  name: Arrivals['name'],
  now: () => Instant,
  deduplicatesFor: number,
): Arrivals {
  const all: Arrival[] = [];
  const seen = new Map<string, Instant>();
  return {
    name,
    all,
    accept(event) {
      const at = now();
      const id = event.replayid === undefined ? event.id : `${event.id}_${event.replayid}`;
      const before = seen.get(id);
      if (before !== undefined && at < before + deduplicatesFor) return;
      if (deduplicatesFor > 0) seen.set(id, at);
      all.push({ at, event });
    },
  };
}
