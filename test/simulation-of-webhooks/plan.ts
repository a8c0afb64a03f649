// The definition of one run: a plan determines all of it. A plan written as JSON replays exactly.
import type { EventFilter } from '../../shared/contract/event-filter.ts';

/** Shares of calls (of records, deliveries, messages) with a fault, from 0 to 1. */
export interface FaultRates {
  /** The process ends before or after the call. */
  readonly crash: number;
  /** The call throws without an effect. */
  readonly fail: number;
  /** The call has its effect, and throws. */
  readonly lost: number;
  /** The call takes seconds. */
  readonly slow: number;
  /** The process freezes; the longest freezes exceed the time for which a message is hidden. */
  readonly freeze: number;
  /** An entry of a batch is not published, or is published and reported as failed. */
  readonly entryFailed: number;
  readonly recordLost: number;
  readonly recordDoubled: number;
  /** A subscription does not get a message, and never will. */
  readonly deliveryLost: number;
  /** Two senders get a message at the same time. */
  readonly messageDoubled: number;
  /** The queue keeps a message after its sender deleted it. */
  readonly messageKept: number;
}

/** A period in which a receiver does not accept some or all attempts. */
export interface Outage {
  readonly kind: 'hang' | 'slow' | 'status' | 'reset' | 'refused connection';
  readonly fromMs: number;
  /** Undefined: until the end. */
  readonly toMs?: number | undefined;
  /** Only every n-th return, or every n-th event of each. */
  readonly every?: { readonly of: 'return' | 'event'; readonly n: number } | undefined;
  /** The share of affected attempts. */
  readonly share: number;
  readonly status?: number | undefined;
  /** The value of the header, or `+<seconds>` for a date this far ahead. */
  readonly retryAfter?: string | undefined;
  /** The share of failed attempts that the receiver nevertheless accepts. */
  readonly acceptedAnyway: number;
}

/** A time in which one of the senders has a wrong clock. */
export interface ClockAhead {
  readonly fromMs: number;
  readonly toMs: number;
  readonly byMs: number;
  /** The share of messages that this sender gets. */
  readonly share: number;
}

export interface WebhookPlan {
  readonly name: string;
  /** @default 'event' */
  readonly shape?: 'return' | undefined;
  readonly filter: EventFilter;
  /** When it is subscribed; the topic needs up to 15 minutes more. */
  readonly fromMs: number;
  readonly lagMs: number;
  readonly maxConcurrency: number;
  readonly retriesAtOnce: number;
  readonly outages: readonly Outage[];
}

export interface Operation {
  readonly atMs: number;
  readonly kind: 'pause' | 'resume' | 'ring' | 'step over' | 'forget';
  /** Index of the webhook. */
  readonly webhook: number;
  /** Index of the return group. */
  readonly group: number;
}

export interface Plan {
  readonly seed: number;
  readonly sources: number;
  /** Groups of each source. */
  readonly groups: number;
  /** The duration of events, outages and faults. After it nothing fails until everything is delivered. */
  readonly activeMs: number;
  /** Saves in this time; each has 1 to `eventsAtOnce` events. */
  readonly saves: number;
  readonly eventsAtOnce: number;
  /** When the first source starts a new generation, if it does. */
  readonly newGenerationMs?: number | undefined;
  readonly webhooks: readonly WebhookPlan[];
  readonly faults: FaultRates;
  /** The maximum error of processes' clocks. */
  readonly clockSkewMs: number;
  readonly clockAhead?: ClockAhead | undefined;
  /** The share of calls that take time; the others are answered at once, so that months can be simulated. */
  readonly latency: number;
  /** Whether a process that exceeds its time is ended, as Lambda does. */
  readonly endsOverdue: boolean;
  readonly operations: readonly Operation[];
  /** If set, only these faults happen (`<call>#<count>`), regardless of the rates. */
  readonly only?: readonly string[] | undefined;
}

export const NO_FAULTS: FaultRates = {
  crash: 0,
  fail: 0,
  lost: 0,
  slow: 0,
  freeze: 0,
  entryFailed: 0,
  recordLost: 0,
  recordDoubled: 0,
  deliveryLost: 0,
  messageDoubled: 0,
  messageKept: 0,
};

export const PLAIN_WEBHOOK: WebhookPlan = {
  name: 'Wms',
  filter: {},
  fromMs: 0,
  lagMs: 0,
  maxConcurrency: 5,
  retriesAtOnce: 2,
  outages: [],
};

/** A plan without faults and outages. */
export const PLAIN_PLAN: Plan = {
  seed: 1,
  sources: 1,
  groups: 6,
  activeMs: 600_000,
  saves: 30,
  eventsAtOnce: 3,
  webhooks: [PLAIN_WEBHOOK],
  faults: NO_FAULTS,
  clockSkewMs: 0,
  latency: 1,
  endsOverdue: true,
  operations: [],
};
