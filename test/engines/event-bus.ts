// An event bus in memory. A subscriber gets every event that matches its pattern, in the envelope that a Lambda behind
// a rule gets. As with rules, subscribers do not delay the sender or each other, and the order is undefined. Unlike
// EventBridge it delivers an event once: a failed delivery is reported, not retried.
import { randomUUID } from 'node:crypto';
import { compileEventPattern, type EventPattern } from './event-pattern.ts';
import type { TakenEntry } from './put-events.ts';

/** The event that rules match and targets receive. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** To the second, as in EventBridge. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface EventBus {
  /**
   * Delivers all matching events from now on.
   *
   * @returns a function that ends the subscription
   * @throws EngineError if the pattern is invalid
   */
  subscribe(pattern: EventPattern, deliver: (event: BusEvent) => unknown): () => void;
  /** Resolves once no delivery is pending. */
  idle(): Promise<void>;
  /** @returns the event's id. */
  publish(entry: TakenEntry): string;
}

export interface EventBusOptions {
  readonly region?: string | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
}

export function createEventBus({ region = 'us-east-1', now = Date.now }: EventBusOptions): EventBus {
  const subscriptions = new Set<(event: BusEvent) => void>();
  const due = new Set<Promise<void>>();

  function hand(event: BusEvent, deliver: (event: BusEvent) => unknown): void {
    const delivery = Promise.resolve(structuredClone(event))
      .then(deliver)
      // A failed delivery is the subscriber's own.
      .catch(() => {})
      .then(() => void due.delete(delivery));
    due.add(delivery);
  }

  return {
    subscribe(pattern, deliver) {
      const matches = compileEventPattern(pattern);
      const subscription = (event: BusEvent) => {
        if (matches(event)) hand(event, deliver);
      };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    async idle() {
      while (due.size > 0) await Promise.all(due);
    },
    publish(entry) {
      const event = envelope(entry, region, now());
      for (const subscription of subscriptions) subscription(event);
      return event.id;
    },
  };
}

function envelope(entry: TakenEntry, region: string, nowMs: number): BusEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': entry.detailType,
    source: entry.source,
    account: '000000000000',
    time: `${new Date(entry.timeMs ?? nowMs).toISOString().slice(0, 19)}Z`,
    region,
    resources: entry.resources,
    detail: entry.detail,
  };
}
