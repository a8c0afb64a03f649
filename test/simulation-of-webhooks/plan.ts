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
  /** The process freezes, for longer than a message is hidden at most. */
  readonly freeze: number;
  /** An entry of a batch is not published, or is and counts as not. */
  readonly entryFailed: number;
  readonly recordLost: number;
  readonly recordDoubled: number;
  /** A subscription does not get a message, and never will. */
  readonly deliveryLost: number;
  /** Two senders get a message at once. */
  readonly messageDoubled: number;
  /** The queue does not forget a message that its sender was done with. */
  readonly messageKept: number;
}

/** A time in which a receiver answers some or all attempts otherwise. */
export interface Trouble {
  readonly kind: 'hang' | 'slow' | 'status' | 'reset' | 'refused connection';
  readonly fromMs: number;
  /** Undefined: for ever. */
  readonly toMs?: number | undefined;
  /** Only every n-th return, or every n-th event of each. */
  readonly every?: { readonly of: 'return' | 'event'; readonly n: number } | undefined;
  /** The share of attempts that meet it. */
  readonly share: number;
  readonly status?: number | undefined;
  /** The header, or `+<seconds>` for a date so far ahead. */
  readonly retryAfter?: string | undefined;
  /** The share of failed attempts that are accepted all the same. */
  readonly acceptedAnyway: number;
}

export interface WebhookPlan {
  readonly name: string;
  readonly filter: EventFilter;
  /** When it is subscribed; the topic needs up to 15 minutes more. */
  readonly fromMs: number;
  readonly lagMs: number;
  readonly maxConcurrency: number;
  readonly retriesAtOnce: number;
  readonly troubles: readonly Trouble[];
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
  /** How long events, troubles and faults happen; then all is quiet until everything is delivered. */
  readonly activeMs: number;
  /** Saves in this time; each has 1 to `eventsAtOnce` events. */
  readonly saves: number;
  readonly eventsAtOnce: number;
  /** When the first source starts a new generation, if it does. */
  readonly newGenerationMs?: number | undefined;
  readonly webhooks: readonly WebhookPlan[];
  readonly faults: FaultRates;
  /** How far the clocks of processes may be off. */
  readonly clockSkewMs: number;
  /** The share of calls that take time; the others are answered at once, so that months can be simulated. */
  readonly latency: number;
  /** Whether a process that exceeds its time is ended, as Lambda does. */
  readonly endsOverdue: boolean;
  readonly operations: readonly Operation[];
  /** Only these faults happen (`<call>#<count>`), whatever the rates say. */
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
  troubles: [],
};

/** A plan without faults and troubles. */
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
