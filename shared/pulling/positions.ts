// The order of the pull feed.
import type { FeedEvent } from '../contract/event.ts';

/** The events of all return groups in one order. A position never changes its event, and none appears behind another. */
export interface Positions {
  /** Names the place of the positions. A restored directory has another name. */
  epoch(): Promise<string>;
  /**
   * The events after a position, in order. `last` is the last position seen.
   *
   * @returns `expired` if what followed the position is not kept
   * @throws if an event can't be decoded
   */
  read(after: number, limit: number): Promise<PositionedEvents | 'expired'>;
  /** The position of the newest event. */
  newest(): Promise<number>;
  /** The position of the last event that expired; 0 if none has. */
  expired(): Promise<number>;
  /** Resolves when there may be new events, or the signal aborts. */
  change(signal: AbortSignal): Promise<void>;
}

export interface PositionedEvents {
  readonly events: readonly PositionedEvent[];
  readonly last: number;
}

export interface PositionedEvent {
  readonly position: number;
  readonly event: FeedEvent;
}
