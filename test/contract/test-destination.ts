// The interface of a destination for the contract suite.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination } from '../../shared/ports.ts';

export interface TestDestination {
  readonly destination: Destination;
  /** An unreachable destination. */
  readonly broken: Destination;
  /** The arrivals, in order if the destination keeps an order. */
  received(): Promise<FeedEvent[]>;
  readonly failures?: Failures;
  close(): Promise<void>;
}

export interface Failures {
  /** Throttles an event in each of the next calls. */
  throttle(id: string, calls: number): void;
  /** Rejects every call that has this event. */
  rejectCallsWith(id: string): void;
}

export interface DestinationKind {
  readonly name: string;
  readonly ordered: boolean;
  /** Whether tests can make it return errors of the service. */
  readonly canFail: boolean;
  open(): Promise<TestDestination>;
}

/** A size that each destination rejects, small enough for quick tests. */
export const MAX_BYTES = 64 * 1024;
