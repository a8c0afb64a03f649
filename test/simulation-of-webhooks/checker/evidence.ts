// The evidence of a run, for the checker: plain data, no type of the feed but the contract's.
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
  /** When the receiver took it, whatever the sender saw; undefined if it did not. */
  readonly acceptedAt?: Time | undefined;
  readonly endedAt?: Time | undefined;
  /** The status of the receiver's response; undefined if there was none. */
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
  readonly failure?: string | undefined;
  /** When a living sender had the answer; undefined if it died before. */
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
  /** `died`: it crashed or exceeded its time. */
  /** In how many seconds its message comes again. */
  readonly comesAgainAfter?: number | undefined;
  readonly ending?: 'done' | 'again' | 'threw' | 'died' | undefined;
  /** Calls that met a fault. */
  readonly faults?: number | undefined;
  /** Those of them that threw. */
  readonly thrown?: number | undefined;
}

export interface WebhookEvidence {
  readonly name: string;
  readonly filter: EventFilter;
  /** Events observed from here on are its events. */
  readonly startedAt: Time | undefined;
  /** When the topic began to publish to it. */
  readonly activeAt: Time;
  readonly retriesAtOnce: number;
  readonly attempts: readonly Attempt[];
  readonly invocations: readonly Invocation[];
  /** Ids of events whose messages reached its queue; true where none of a later event of the return was there before. */
  readonly published: ReadonlyMap<string, boolean>;
  /** When an operator had paused it. */
  readonly paused: readonly { readonly from: Time; readonly to: Time }[];
  /** Numbers that an operator skipped: of the group with this key. */
  readonly skippedByHand: readonly { readonly group: string; readonly sequence: number }[];
  /** When anything happened to a group's messages that may bring its next attempt forward. */
  readonly irregular: readonly { readonly group: string; readonly at: Time }[];
  /** When an operator rang for a group: that message has retries of its own. */
  readonly rungByHand: readonly { readonly group: string; readonly at: Time }[];
  /** How often a sender wanted a message to be hidden for longer than a queue allows. */
  readonly hiddenTooLong: number;
  /** Whether its receiver had any trouble, or an operator anything to do with it. */
  readonly isTroubled: boolean;
}

export interface Evidence {
  readonly written: readonly Written[];
  readonly webhooks: readonly WebhookEvidence[];
  /** Groups of which an operator forgot the events up to a number. */
  readonly forgotten: readonly { readonly group: string; readonly through: number }[];
  /** How far two clocks may be apart. */
  readonly skew: Time;
  /** Whether calls of processes never failed, and records and messages were never lost. */
  readonly isFaultless: boolean;
  /** When faults and passing troubles ended. */
  readonly calmFrom: Time;
  readonly endedAt: Time;
  readonly ownErrors: readonly string[];
}

export interface Violation {
  /** W1 to W11 (check.ts); W0 for errors that are never allowed. */
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
