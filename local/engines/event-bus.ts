// One event bus in memory: who subscribes with a pattern is handed every event that matches it, in the envelope
// that a Lambda behind a rule gets. As with rules, subscribers do not hold up the sender or each other, and nobody
// may rely on an order. Unlike EventBridge it hands an event over once: a delivery that fails is told, not retried.
import { randomUUID } from 'node:crypto';
import { compileEventPattern, type EventPattern } from './event-pattern.ts';
import type { TakenEntry } from './put-events.ts';

/** What rules match and targets receive. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** To the second, as EventBridge has it. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface EventBus {
  /**
   * Hands over all events that come in from now on and match.
   *
   * @returns what ends the subscription.
   * @throws EngineError when the pattern is not valid.
   */
  subscribe(pattern: EventPattern, deliver: (event: BusEvent) => unknown): () => void;
  /** Resolves once every delivery that was due is done. */
  idle(): Promise<void>;
  /** @returns the event's id. */
  publish(entry: TakenEntry): string;
}

export interface EventBusOptions {
  readonly region?: string | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Told of each delivery that failed; they are dropped without it. */
  readonly onDeliveryError?: ((error: unknown, event: BusEvent) => void) | undefined;
}

export function createEventBus({
  region = 'us-east-1',
  now = Date.now,
  onDeliveryError = () => {},
}: EventBusOptions): EventBus {
  const subscriptions = new Set<(event: BusEvent) => void>();
  const due = new Set<Promise<void>>();

  function hand(event: BusEvent, deliver: (event: BusEvent) => unknown): void {
    const delivery = Promise.resolve(structuredClone(event))
      .then(deliver)
      .catch((error: unknown) => onDeliveryError(error, event))
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
