// The evidence of a run, for the checker: plain data, without types of the feed except the events'. The truth is the
// list of documents that the store would have shown of each group, from its opening to its end.
import type { FeedEvent } from '../../../shared/contract/event.ts';

/** Microseconds since 1970. */
export type Time = number;

/** A return group in the form of the service's document. */
export type GroupDocument = Readonly<Record<string, unknown>> & { readonly id: number };

/** One state of a group. */
export interface Happening {
  readonly groupId: number;
  /** When the state began; minus infinity if it existed at the opening. */
  readonly at: Time;
  /** When it became visible, unless a later state became visible earlier. */
  readonly shownFrom: Time;
  /** Undefined if the group did not exist from then on. */
  readonly document: GroupDocument | undefined;
}

export interface Arrival {
  readonly at: Time;
  readonly event: FeedEvent;
}

/** A `feed.source_read`, with the starts of the rounds that it names. */
export interface Claim extends Arrival {
  /** Of the last complete round of late changes. */
  readonly polledAt: Time | undefined;
  /** Of the last complete round over all groups. */
  readonly walkedAt: Time | undefined;
  /** How many holds, groups and places it says are left out. */
  readonly leftOut: number;
}

/** What was stored of a group from a moment on. */
export interface StoredState {
  readonly groupId: number;
  readonly at: Time;
  /** Only what is watched; undefined for a group that was removed or forgotten. */
  readonly document: GroupDocument | undefined;
  readonly isForgotten: boolean;
}

interface During {
  readonly from: Time;
  readonly to: Time;
}

/** A source in one of its generations. */
export interface SourceEvidence {
  readonly source: string;
  /** Whether it is the last generation. */
  readonly isLast: boolean;
  /** Whether it is the only generation. */
  readonly isOnly: boolean;
  /** Whether an operator skipped or forgot events. */
  readonly mayBeSkipped: boolean;
  /** Whether a relay may send an event long after it has read it. */
  readonly relaysMayLag: boolean;
  /** Groups that an operator forgot, each with its last number at that time. */
  readonly forgotten: readonly {
    readonly groupId: number;
    readonly through: number;
    /** Whether any of its events up to that number is still in the ledger. */
    readonly isLeft: boolean;
  }[];
  readonly baseline: 'silent' | 'emit';
  readonly customerData: boolean;
  /** Time between polls, in the unit of Time. */
  readonly interval: number;
  /** Time between walks over recent groups. */
  readonly walkRhythm: number;
  /** Whether `feed.source_read` is published. */
  readonly reportsRead: boolean;
  /** When the source's first state was saved; undefined if it never was. */
  readonly startedAt: Time | undefined;
  /** The stamp at which it begins, what was created up to it is old; and when that was saved. */
  readonly origin: { readonly stamp: Time; readonly at: Time } | undefined;
  /** Ticks that ended, each with the moment for which it was sent. Only completed ticks report anything. */
  readonly concluded: readonly { readonly slot: Time; readonly at: Time }[];
  /** When it had holds, or released changes that were not all published. */
  readonly heldTimes: readonly { readonly from: Time; readonly to: Time }[];
  /** When each hold of a mass change began, and when each complete walk over recent groups was saved. */
  readonly massChanges: readonly Time[];
  readonly recentWalks: readonly Time[];
  /** Whether an operator adopted a mass change: what it changed has no events then. */
  readonly hasAdopted: boolean;
  /** Whether it has reported that its polls miss changes: then only walks are sure to find them. */
  readonly pollsMiss: boolean;
  /** Whether it reported a crowd that it could not read to its end: its missing groups are not looked up. */
  readonly leavesCrowds: boolean;
  /** Ticks of a quiet world, once the cursor has followed the last change; undefined if it did not come to rest. */
  readonly idle: (During & { readonly walk: During | undefined }) | undefined;
  /** When two rounds of late changes had ended that began after every change could be read. Undefined if none did. */
  readonly polledBy: Time | undefined;
  /** Whether in the end everything was read twice, nothing is held, and the source is well. */
  readonly isAtRest: boolean;
  /** Codes for which the source is degraded in the end. */
  readonly reasons: readonly string[];
  /** When `feed.baseline_completed` was written. */
  readonly baselineCompletedAt: Time | undefined;
  /** When the first whole walk had ended that began after a field was first stored with a value; undefined if none. */
  fieldKnownBy(field: string): Time | undefined;
  /** When a group was first stored; undefined if it never was. */
  storedFrom(groupId: number): Time | undefined;
  /** Every event that was added to the ledger, in order. */
  readonly written: readonly Arrival[];
  readonly claims: readonly Claim[];
  /** Every save of a group, in order. */
  readonly stored: readonly StoredState[];
  /** The arrivals, in order. */
  readonly queue: readonly Arrival[];
  readonly bus: readonly Arrival[];
}

/** The precision of known times, in the unit of Time. */
interface Timing {
  /** How far machines' clocks may deviate from the true time. */
  readonly clocksOff: number;
  /** The maximum time that a process freezes: a poller may save this much later. */
  readonly longestFreeze: number;
  /** Maximum time from a request until its answer is processed. */
  readonly longestExchange: number;
  /** How long a slow call of a store may take. */
  readonly slowestCall: number;
  /** How long before its answer is read a request may have been sent, plus how old its content may be. */
  readonly slowestAnswer: number;
  readonly settle: number;
  /** The maximum lag of replicas. */
  readonly staleFor: number;
  /** How far a copy lags that shows older stamps. */
  readonly lag: number;
}

export interface SentRequest {
  readonly at: Time;
  readonly token: string;
  /** The process. */
  readonly by: string;
  /** By which stamps it asks. */
  readonly axis: 'updated' | 'created' | 'both' | 'none';
  /** Rows of the answer, once there was one. */
  readonly rows: number;
}

/** A pause that an answer asked for. */
export interface AskedPause extends Pick<SentRequest, 'at' | 'token' | 'by'> {
  readonly until: Time;
}

export interface Evidence {
  /** Whether the service breaks its promises. */
  readonly isStrange: boolean;
  /** How far behind the true time the service's stamps are. */
  readonly stampsBehind: number;
  /** Whether answers show only states of the store's history. */
  readonly showsWhatIs: boolean;
  readonly sources: readonly SourceEvidence[];
  /** Per group in order of time. */
  readonly happenings: readonly Happening[];
  /** Groups that are unreadable in the end. */
  readonly unreadable: ReadonlySet<number>;
  /** Groups that make every answer with them fail in the end. */
  readonly failing: ReadonlySet<number>;
  /** Groups that did so at any time. */
  readonly everFailing: ReadonlySet<number>;
  /** Whether half of the answers failed at some time: then any place may be set aside. */
  readonly failsOften: boolean;
  /** Groups that lists hide, or may hide, in the end. */
  readonly hidden: ReadonlySet<number>;
  /** Groups that were unreadable at any time, as a whole or in part. */
  readonly everUnreadable: ReadonlySet<number>;
  /** Groups of which a part was: their events show its last known value, beside others that are newer. */
  readonly everBroken: ReadonlySet<number>;
  /** Groups that the store refused because of their size, and when it did so first and last. */
  readonly tooLarge: ReadonlyMap<number, { readonly from: Time; readonly to: Time }>;
  /** Whether answers have all arrays of their groups, including empty ones. */
  readonly showsEmptyArrays: boolean;
  /** Whether answers have all fields, including nulls. */
  readonly showsNulls: boolean;
  /** Whether anything in the plan may keep the source from being read, or makes a guard hold. */
  readonly mayDegrade: boolean;
  /** Whether polls may pass a change that a walk finds: a page that becomes shorter, or rows that can't be read or stored. */
  readonly mayMissChanges: boolean;
  /** Whether answers show older states than `settle` allows, with their older stamps: many of them are a mass change. */
  readonly mayGoBack: boolean;
  /** Whether clocks of processes are set while they run, by up to hours. */
  readonly clocksJump: boolean;
  readonly timing: Timing;
  /** Every request that was sent to the service. */
  readonly sent: readonly SentRequest[];
  /** Pauses that answers requested. */
  readonly askedPauses: readonly AskedPause[];
  /** Whether a process that learns of a pause keeps it: its clocks are correct. */
  readonly keepsPauses: boolean;
  readonly requestsPerMinute: number;
  /** How late a change may show. */
  readonly lookback: number;
  /** When the service began to send shorter pages. */
  readonly pagesShortened: readonly Time[];
  /** Customers' texts and tokens, which may not be stored, sent or logged. */
  readonly secrets: readonly string[];
  /** Names of fields that are personal data; they may not be reported. */
  readonly personalNames: readonly string[];
  /** Everything that the feed stored. */
  readonly stored: readonly unknown[];
  /** The log's lines. */
  readonly logged: readonly string[];
  /** When the service could not be read. */
  readonly outages: readonly {
    readonly from: Time;
    readonly to: Time;
    /** Whether a process may go on with the token that it keeps. */
    readonly hasKeptToken: boolean;
  }[];
  readonly endedAt: Time;
  /** Errors that the feed's code threw without an injected fault. */
  readonly ownErrors: readonly string[];
  /** Writes that a process began after its tick had ended. */
  readonly strayWrites: readonly string[];
}

export interface Violation {
  /** G1 to G8; G0 for errors that are never allowed. */
  readonly guarantee: `G${number}`;
  readonly source?: string;
  /** For instance `shipment/77120` of group 184467. */
  readonly place?: string;
  readonly message: string;
}
