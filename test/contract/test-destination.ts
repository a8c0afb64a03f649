// What the contract suite needs of a destination.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination } from '../../shared/ports.ts';

export interface TestDestination {
  readonly destination: Destination;
  /** An unreachable destination. */
  readonly broken: Destination;
  /** The arrivals, in order if the destination keeps an order. */
  received(): Promise<FeedEvent[]>;
  readonly trouble?: Trouble;
  close(): Promise<void>;
}

export interface Trouble {
  /** Throttles an event in each of the next calls. */
  throttle(id: string, calls: number): void;
  /** Rejects every call that has this event. */
  rejectCallsWith(id: string): void;
}

export interface DestinationKind {
  readonly name: string;
  readonly ordered: boolean;
  /** Whether tests can make it answer as the service does in trouble. */
  readonly troubled: boolean;
  open(): Promise<TestDestination>;
}

/** The size that each destination refuses; small enough to be quick. */
export const MAX_BYTES = 64 * 1024;
