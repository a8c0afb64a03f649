// The evidence of a run, for the checker: plain data, with types of the contract but no others of the feed.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';

/** Microseconds since 1970. */
export type Time = number;

/** One event of the ledger. */
export interface Written {
  readonly event: FeedEvent;
  readonly at: Time;
  /** When the retention or an operator removed it; infinity if neither did. */
  readonly goneFrom: Time;
}

/** One POST. */
export interface Attempt {
  readonly invocation: Invocation;
  /** When its sender last read the state of the endpoint. */
  readonly decidedAt: Time;
  readonly at: Time;
  readonly id: string;
  readonly body: string;
  /** When the receiver accepted it, even if the sender got no answer; undefined if it did not. */
  readonly acceptedAt?: Time | undefined;
  readonly endedAt?: Time | undefined;
  /** The status of the receiver's response; undefined if there was none. */
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
  readonly failure?: string | undefined;
  /** When the sender had the answer; undefined if it died before. */
  readonly seenAt?: Time | undefined;
  /** When that sender then first saved the state of the endpoint. */
  readonly notedAt?: Time | undefined;
}

/** One message with one sender. */
export interface Invocation {
  /** The group of return, source and generation, for instance `s1_g1_4`. */
  readonly group: string;
  /** The event that the message names. */
  readonly rangFor: number;
  readonly startedAt: Time;
  readonly endedAt?: Time | undefined;
  /** Seconds until its message comes again. */
  readonly comesAgainAfter?: number | undefined;
  /** `died`: it crashed or exceeded its time. */
  readonly ending?: 'done' | 'again' | 'threw' | 'died' | undefined;
  /** Calls that met a fault. */
  readonly faults?: number | undefined;
  /** Calls that threw because of a fault. */
  readonly thrown?: number | undefined;
}

export interface WebhookEvidence {
  readonly name: string;
  /** `return`: it gets whole returns. */
  readonly shape?: 'return' | undefined;
  readonly filter: EventFilter;
  /** The webhook gets events that were observed from this time on. */
  readonly startedAt: Time | undefined;
  /** When the topic began to publish to it. */
  readonly activeAt: Time;
  readonly retriesAtOnce: number;
  readonly attempts: readonly Attempt[];
  readonly invocations: readonly Invocation[];
  /** Ids of events with a message in its queue; false if a message of a later event of the return was there before. */
  readonly published: ReadonlyMap<string, boolean>;
  /** The periods in which an operator had paused it. */
  readonly paused: readonly { readonly from: Time; readonly to: Time }[];
  /** The events that an operator skipped. */
  readonly skippedByHand: readonly { readonly group: string; readonly sequence: number }[];
  /** When something happened to a group's messages that may make its next attempt earlier. */
  readonly irregular: readonly { readonly group: string; readonly at: Time }[];
  /** When an operator rang for a group; the retries of that message are independent. */
  readonly rungByHand: readonly { readonly group: string; readonly at: Time }[];
  /** How often a sender tried to hide a message for longer than a queue allows. */
  readonly hiddenTooLong: number;
  /** Whether its receiver had any outage, or an operator acted on it. */
  readonly isDisturbed: boolean;
}

export interface Evidence {
  readonly written: readonly Written[];
  readonly webhooks: readonly WebhookEvidence[];
  /** Groups that an operator forgot, each with its last forgotten number. */
  readonly forgotten: readonly { readonly group: string; readonly through: number }[];
  /** The maximum difference between two clocks. */
  readonly skew: Time;
  /** When senders began with a clock that was days ahead, if any did. */
  readonly clockAhead?: { readonly from: Time; readonly to: Time } | undefined;
  /** Whether calls of processes never failed, and records and messages were never lost. */
  readonly isFaultless: boolean;
  /** When faults and passing outages ended. */
  readonly calmFrom: Time;
  readonly endedAt: Time;
  readonly ownErrors: readonly string[];
}

export interface Violation {
  /** W1 to W15 (check.ts); W0 for errors that are never allowed. */
  readonly guarantee: `W${number}`;
  readonly webhook?: string;
  /** For instance `s1_g1_4 number 7`. */
  readonly place?: string;
  readonly message: string;
}

export const SECOND: Time = 1_000_000;
export const MINUTE: Time = 60 * SECOND;
export const HOUR: Time = 60 * MINUTE;
export const DAY: Time = 24 * HOUR;

/** The time in which senders with a clock far ahead note what others leave out, and miss what the others noted. */
export function isClockAheadAt({ clockAhead }: Evidence, at: Time): boolean {
  return clockAhead !== undefined && at >= clockAhead.from && at < clockAhead.to + 10 * MINUTE;
}
