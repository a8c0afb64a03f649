// What a run left behind, for the checker: plain data, no type of ours but the events'. What is true is told by the
// documents that the store would have shown of each group, from its opening to its end.
import type { FeedEvent } from '../../../shared/contract/event.ts';

/** Microseconds since 1970. */
export type Time = number;

/** A return group as the service's document has it. */
export type GroupDocument = Readonly<Record<string, unknown>> & { readonly id: number };

/** One state of a group. */
export interface Happening {
  readonly groupId: number;
  /** When it came to be; before all times for what was there at the opening. */
  readonly at: Time;
  /** From when it could be seen, unless a later one could be seen earlier. */
  readonly shownFrom: Time;
  /** Undefined: there was no such group from then on. */
  readonly document: GroupDocument | undefined;
}

export interface Arrival {
  readonly at: Time;
  readonly event: FeedEvent;
}

/** A source in one of its generations. */
export interface SourceEvidence {
  readonly source: string;
  /** Whether no other generation came after it. */
  readonly isLast: boolean;
  /** Whether there never was another generation. */
  readonly isOnly: boolean;
  /** Whether an operator stepped over events, or forgot some. */
  readonly mayBeSkipped: boolean;
  /** Groups that an operator had forgotten, each with the last number that it had by then. */
  readonly forgotten: readonly {
    readonly groupId: number;
    readonly through: number;
    /** Whether any of its events until then still is in the ledger. */
    readonly isLeft: boolean;
  }[];
  readonly baseline: 'silent' | 'emit';
  readonly customerData: boolean;
  /** Of the polls, in the unit of Time. */
  readonly interval: number;
  /** When the source's first state was saved; undefined if it never was. */
  readonly startedAt: Time | undefined;
  /** When ticks came to their end: only these tell anything. */
  readonly concludedAt: readonly Time[];
  /** Whether it was polled and walked as a whole in the end, well and as often as it takes to know all. */
  readonly cameToRest: boolean;
  /** When `feed.baseline_completed` was written. */
  readonly baselineCompletedAt: Time | undefined;
  /** When a group was first stored with an array, by the kind of what that holds. */
  readonly arraysStoredFrom: ReadonlyMap<string, Time>;
  /**
   * When the first walk over everything ended that began after a field, such as `shipment.carrier`, was first stored
   * with a value; undefined if none did.
   */
  fieldKnownBy(field: string): Time | undefined;
  /** What was ever added to the ledger, in order. */
  readonly written: readonly Arrival[];
  /** What arrived, in order. */
  readonly queue: readonly Arrival[];
  readonly bus: readonly Arrival[];
}

export interface Promises {
  /** Whether what the service has no more is to be told as removed. */
  readonly findsRemovals: boolean;
  /** Whether each change moves its group's stamp: only then is a first reading told from a late one. */
  readonly changesMoveStamps: boolean;
  /** Arrays that have become empty are shown as such. */
  readonly showsEmptyArrays: boolean;
  /** Arrays that are empty have never been left out, nor been null. */
  readonly showedEmptyArrays: boolean;
  /** Stamps are not cut to whole seconds, so that neighbouring ranges never share a group's. */
  readonly tellsFractions: boolean;
  /** Whether stamps name their zone; else what was created in the last day is known by polls alone at first. */
  readonly namesZones: boolean;
  /** No answer shows anything that the store's history does not know. */
  readonly showsWhatIs: boolean;
  /** Each answer has all arrays of each of its groups, empty ones as well. */
  readonly leavesNoArrayOut: boolean;
  /** Neither arrays nor entities are ever missing from an answer: each shows its groups whole. */
  readonly showsWhole: boolean;
  /** Arrays are never left out by chance: the first time that one shows, what it holds is filled in without an event. */
  readonly showsArrays: boolean;
}

/** A fault that requests of one shape met; what is owed meanwhile stands in lasting-faults.ts. */
export interface Lasting {
  /** For instance `parameter min_created_at`. */
  readonly shape: string;
  readonly what: string;
  /** Of the shapes `range`: its groups. Of `id in …`: the group. Else none. */
  readonly groups: ReadonlySet<number>;
  readonly from: Time;
  /** Undefined: it lasts for ever. */
  readonly to: Time | undefined;
  /** Whether the token is exchanged while it lasts. */
  readonly exchangesToken: boolean;
  /** How long the source may take for a walk over everything, once one is due. */
  readonly cycle: number;
}

/** How exactly times can be known, in the unit of Time. */
export interface Timing {
  /** How far the service's Date, by which the feed tells times, is ahead of the store's. */
  readonly dateAhead: number;
  /** Whether all machines have the same time, an operator's among them. */
  readonly clocksAgree: boolean;
  /** How far machines' clocks may part from it where it sends no Date. */
  readonly drift: number;
  /** How much later than it was a reading may be said to have been. */
  readonly lateBy: number;
  /** How long before its answer was looked at a request may have been sent, and how much older what it shows may be. */
  readonly slowestAnswer: number;
  /** How long a request may be under way until its answer is looked at. */
  readonly longestExchange: number;
  readonly settle: number;
  /** How far replicas lag behind. */
  readonly staleFor: number;
  /** Whether a process always has an answer that its time of the service follows from: after a jump it has none. */
  readonly knowsTheTime: boolean;
}

export interface Evidence {
  /** Whether the service, its access and the schedule were the same from the start to the end. */
  readonly isSteady: boolean;
  readonly sources: readonly SourceEvidence[];
  /** By group in the order of time. */
  readonly happenings: readonly Happening[];
  /** Groups that nobody can read. */
  readonly unreadable: ReadonlySet<number>;
  /** Those of them that nobody can read in the end. */
  readonly unreadableInTheEnd: ReadonlySet<number>;
  readonly promises: Promises;
  /** Codes of reasons for which a source may be degraded at all in this run. */
  readonly causes: ReadonlySet<string>;
  readonly timing: Timing;
  /** Every request that was sent. */
  readonly sent: readonly { readonly at: Time; readonly token: string }[];
  readonly requestsPerMinute: number;
  /** What nobody may find in anything that is stored, sent or logged. */
  readonly secrets: readonly string[];
  /** Names of fields that are a person's, where there are such: nobody may find them within any text either. */
  readonly personalNames: readonly string[];
  readonly stored: readonly unknown[];
  readonly logged: readonly string[];
  /** When the service could not be read at all. */
  readonly outage: { readonly from: Time; readonly to: Time } | undefined;
  readonly lasting: Lasting | undefined;
  readonly endedAt: Time;
  /** Errors that our code threw and nobody did to it. */
  readonly ownErrors: readonly string[];
  /** Writes that a process began when its tick had ended. */
  readonly strayWrites: readonly string[];
}

export interface Violation {
  /** G1 to G8; G0 for what must not be in any case. */
  readonly guarantee: `G${number}`;
  readonly source?: string;
  /** For instance `shipment/77120` of group 184467. */
  readonly place?: string;
  readonly message: string;
}
