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

/** A proof of a range that the feed found false: it had not shown a known group of the range. */
export interface FalseProof {
  readonly source: string;
  readonly groupId: number;
  /** When a look-up had found the group. */
  readonly at: Time;
}

export interface Arrival {
  readonly at: Time;
  readonly event: FeedEvent;
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
  /** The maximum time that a process freezes: a poller may save its state this much later. */
  readonly longestFreeze: Time;
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
  /** When the source's first state was saved; undefined if it never was. */
  readonly startedAt: Time | undefined;
  /** Ticks that ended, each with the moment for which it was sent. Only completed ticks report anything. */
  readonly concluded: readonly { readonly slot: Time; readonly at: Time }[];
  /** When it had holds, or released changes that were not all published. */
  readonly heldTimes: readonly { readonly from: Time; readonly to: Time; readonly isReleased: boolean }[];
  /**
   * Walks over old open groups that read all of them: when they began, by the feed's clock, and when they had ended.
   */
  readonly openWalks: readonly { readonly startedAt: Time; readonly endedAt: Time }[];
  /** Whether in the end it was polled and walked completely, without failures and often enough to know everything. */
  readonly cameToRest: boolean;
  /** When `feed.baseline_completed` was written. */
  readonly baselineCompletedAt: Time | undefined;
  /** When a group was first stored with an array, by the kind of the array's entities. */
  readonly arraysStoredFrom: ReadonlyMap<string, Time>;
  /**
   * When the first full walk ended that began after a field, such as `shipment.carrier`, was first stored with a
   * value; undefined if none did.
   */
  fieldKnownBy(field: string): Time | undefined;
  /** Every event that was added to the ledger, in order. */
  readonly written: readonly Arrival[];
  /** The arrivals, in order. */
  readonly queue: readonly Arrival[];
  readonly bus: readonly Arrival[];
}

export interface Promises {
  /** Whether the feed must report removals. */
  readonly findsRemovals: boolean;
  /** Whether each change moves its group's stamp. Only then can a first reading be distinguished from a late one. */
  readonly changesMoveStamps: boolean;
  /**
   * Whether no change of a group is shown later than another one of the same stamp: it would look like one without a
   * stamp.
   */
  readonly showsChangesTogether: boolean;
  /** Whether arrays that became empty are shown as empty. */
  readonly showsEmptyArrays: boolean;
  /** Whether empty arrays were never omitted or null. */
  readonly showedEmptyArrays: boolean;
  /**
   * Whether no row has a stamp in the future. One such row moves the stamps' clock if Date is ahead, otherwise three.
   */
  readonly stampsTellTime: boolean;
  /** Whether a short page always ends a list: no page is cut by bytes before a large row. */
  readonly endsLists: boolean;
  /** Whether a tick can read the lists that must be read within one tick; see guarantees.md, "Budget". */
  readonly keepsUp: boolean;
  /** Whether no walk has to wait so long for its turn that the source is reported as stalled. */
  readonly walksInTime: boolean;
  /** Whether stamps name their zone. Otherwise only polls find groups that were created within the last day. */
  readonly namesZones: boolean;
  /** Whether no false answer can confirm the end of a list. */
  readonly confirmsEnds: boolean;
  /** Whether walks can prove the newest groups, also if nothing changes. */
  readonly provesNewest: boolean;
  /** Whether answers show only states of the store's history. */
  readonly showsWhatIs: boolean;
  /** Whether answers show what the source's own store has shown, also where that changes in an unusual way. */
  readonly showsOwnStore: boolean;
  /** Whether answers have all arrays of their groups, including empty ones. */
  readonly leavesNoArrayOut: boolean;
  /** Whether answers show their groups with all arrays and entities. */
  readonly showsWhole: boolean;
  /**
   * Whether no answer omits arrays by chance. The content of an array's first appearance is filled in without an event.
   */
  readonly showsArrays: boolean;
  /** Whether no answer omits nulls. The first appearance of a field is filled in without an event. */
  readonly showsNulls: boolean;
  /** Whether the service shows that the plan's mistake is over, so that its hold needs no release. */
  readonly endsHolds: boolean;
  /** Whether each list shows all groups of its range, from their creation on. */
  readonly listsAll: boolean;
  /** Whether a process that learns of a pause keeps it, even if it can't save it: its clocks are correct. */
  readonly keepsPauses: boolean;
}

/** A fault of all requests of one shape; lasting-faults.ts lists the guarantees that still hold. */
export interface Lasting {
  /** For instance `parameter min_created_at`. */
  readonly shape: string;
  readonly what: string;
  /** For the shape `limit`: whether pages of ten rows work. The feed tries these, and then asks for smaller pages. */
  readonly letsFewRowsPass: boolean;
  /**
   * For the shape `range`: its groups. For `id in …`: the group. For `look-ups of …`: those that failed. Otherwise
   * empty.
   */
  readonly groups: ReadonlySet<number>;
  readonly from: Time;
  /** Undefined for a fault that never ends. */
  readonly to: Time | undefined;
  /** Whether the token is exchanged while it lasts. */
  readonly exchangesToken: boolean;
  /** How long a full walk may take, once it is due. */
  readonly cycle: number;
  /** Whether so few groups may be left that a walk reads ranges without any. */
  readonly mayEmptyRanges: boolean;
}

/** The precision of known times, in the unit of Time. */
export interface Timing {
  /** How far the service's Date, the feed's clock, is ahead of the store's. */
  readonly dateAhead: number;
  /** Whether the service's answers have a Date. */
  readonly hasDate: boolean;
  /** Whether all machines have the same time, including the operator's. */
  readonly clocksAgree: boolean;
  /** How far machines' clocks may deviate from the true time while the service sends no Date. */
  readonly drift: number;
  /** The maximum by which a reading may be dated too late. */
  readonly lateBy: number;
  /** How long before its answer is read a request may have been sent, plus how old its content may be. */
  readonly slowestAnswer: number;
  /** Maximum time from a request until its answer is processed. */
  readonly longestExchange: number;
  readonly settle: number;
  /** The maximum lag of replicas. */
  readonly staleFor: number;
  /** Whether a process always has an answer that gives it the service's time: after a jump it has none. */
  readonly knowsTheTime: boolean;
}

export interface SentRequest {
  readonly at: Time;
  readonly token: string;
  /** The process. */
  readonly by: string;
}

export interface Evidence {
  /** Whether the service, its access and the schedule stayed the same during the whole run. */
  readonly isSteady: boolean;
  readonly sources: readonly SourceEvidence[];
  /** Per group in order of time. */
  readonly happenings: readonly Happening[];
  /** Unreadable groups. */
  readonly unreadable: ReadonlySet<number>;
  /** The groups among these that are unreadable in the end. */
  readonly unreadableInTheEnd: ReadonlySet<number>;
  /** Groups that the store refused because of their size: when it did so for the first and for the last time. */
  readonly tooLarge: ReadonlyMap<number, { readonly from: Time; readonly to: Time }>;
  readonly promises: Promises;
  /** Codes of the reasons for which a source may be degraded in this run. */
  readonly causes: ReadonlySet<string>;
  readonly timing: Timing;
  /** Every request that was sent. */
  readonly sent: readonly SentRequest[];
  /** The pauses that answers requested, each from the arrival of its answer. */
  readonly askedPauses: readonly (SentRequest & { readonly until: Time })[];
  readonly requestsPerMinute: number;
  /** Maximum time from a change's stamp until it shows, for polls to find it. */
  readonly lookback: Time;
  /** Whether `feed.source_read` is published. */
  readonly reportsRead: boolean;
  /** Texts that must not appear in anything stored, sent or logged. */
  readonly secrets: readonly string[];
  /** Field names that are personal data, if there are any: they must not appear within any text either. */
  readonly personalNames: readonly string[];
  readonly stored: readonly unknown[];
  readonly logged: readonly string[];
  readonly falseProofs: readonly FalseProof[];
  /** The outage of the service; undefined if there is none. */
  readonly outage: { readonly from: Time; readonly to: Time } | undefined;
  /**
   * If stamps fell back in the middle of the run, in a store that polls don't walk: when polls must see changes again.
   */
  readonly pollsSeeFrom: Time | undefined;
  /** If polls find nothing for a while, in a store that they don't walk: long enough for the feed to report it. */
  readonly pollsBlind: { readonly from: Time; readonly to: Time } | undefined;
  /** If nothing delays walks over old open groups: the longest time between the ends of two, until then. */
  readonly openWalksEnd: { readonly every: Time; readonly until: Time } | undefined;
  readonly lasting: Lasting | undefined;
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
