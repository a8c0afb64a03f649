// The one item per source that all its ticks share. It is written conditionally; the next tick learns again what a tick
// could not save.
import type { WholeWalk } from '../comparing/known-fields.ts';
import type { EventOf, EventType } from '../contract/event.ts';
import type { Instant } from '../instant.ts';
import type { ListDepth } from '../reading/list-depth.ts';
import type { SourceSettings } from './source-settings.ts';

export interface SourceState {
  readonly source: string;
  readonly version: number;
  /** Mint time in base 36, so that generations sort; part of every event's id. */
  readonly generation: string;
  /** The generations before this one; groups may be stored under them as well. */
  readonly earlierGenerations: readonly string[];
  /** Where the state was minted ({@link SourceStates.identity}); if it is found elsewhere, the feed stops. */
  readonly mintedIn: string;
  /** The feed's start by the stamps' clock: older groups are baseline. */
  readonly startedAt: Instant;
  /** The instant, by the stamps' clock, before which polls have nothing left to read. */
  readonly settledThrough: Instant;
  /** The slot of the last tick taken; an older or equal one is dropped. */
  readonly lastSlot: number;
  readonly lease: Lease;
  readonly stamps: StampsState;
  readonly baseline: BaselineState;
  readonly reconciliation: ReconciliationState;
  /** The number of the feed's own last event. */
  readonly feedSequence: number;
  /** Reports of the feed about itself: appended once this state is saved, and again by a process that finds them. */
  readonly feedReports: readonly FeedReport[];
  readonly health: HealthState;
  /** Unlisted values and fields already reported as drift. Bounded. */
  readonly driftReported: readonly string[];
  /** Rows to a page that the service accepts; lowered by a 422 on `limit`. */
  readonly pageLimit: number;
  /** How far the service's lists can be paged. */
  readonly listDepth: ListDepth;
  /** Whether a page of ten or more rows came in this cycle: only then may a short page end a poll (R1). */
  readonly fullPageSeen: boolean;
  /** Rows of the longest page in this cycle: what the service really gives. */
  readonly longestPage: number;
  /** Width of the poll's next closed range, in the unit of Instant; halved where a range had too many pages (R3). */
  readonly pollWidth: number;
  /** When the service first sent each watched field, for instance `shipment.carrier`: older snapshots can't hold it. */
  readonly fieldsSince: Readonly<Record<string, Instant>>;
  /** The walks that have read these fields of every group: after them, a field that is new to a group is a change. */
  readonly wholeWalks: readonly WholeWalk[];
  /** Set-aside groups: id if known, reason, digest of the row. */
  readonly setAside: readonly SetAside[];
  readonly guarding: GuardingState;
  /** What `feed.source_read` reports; see reporting/source-read.ts. */
  readonly read: ReadState;
  /** The last tick's settings, for readers of the state; undefined in a state that was saved without them. */
  readonly pace: PaceSettings | undefined;
  /** The service's address in the last tick's settings; undefined in a state that was saved without it. */
  readonly baseUrl: string | undefined;
}

/** The settings needed to interpret a source's figures. */
export type PaceSettings = Pick<
  SourceSettings,
  'intervalMs' | 'lookbackMs' | 'reconcileMs' | 'requestsPerMinute'
>;

/** The events that a poller publishes about its source. */
type OwnType = Exclude<Extract<EventType, `feed.${string}`>, 'feed.events_skipped' | 'feed.source_read'>;

/** An event of the feed about itself that has no number yet. */
export type FeedReport = {
  readonly [Type in OwnType]: {
    readonly type: Type;
    readonly object: EventOf<Type>['data']['object'];
    readonly time: Instant;
  };
}[OwnType];

export interface Lease {
  readonly owner: string;
  readonly epoch: number;
  /** In slot time. */
  readonly expiresAt: Instant;
}

/** The known facts about the service's stamps; see reading/stamps-clock.ts. */
export interface StampsState {
  readonly zoned: boolean;
  /** Digits after the second. */
  readonly precision: number;
  /** How far plausible stamps run ahead of the answers' Date, in the unit of Instant. */
  readonly lead: number;
  /** The largest leads seen, one per group, from which `lead` is taken. */
  readonly leads: readonly { readonly groupId: number; readonly lead: number }[];
  readonly newest: Instant | undefined;
  /** The Date of the answer that brought `newest`. */
  readonly newestReceivedAt: Instant;
}

export interface BaselineState {
  readonly mode: 'silent' | 'emit';
  readonly status: 'running' | 'completed';
  readonly startedAt: Instant;
  /** Creation time up to which all groups were read. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range, in the unit of Instant. */
  readonly rangeWidth: number;
  readonly groups: number;
  readonly requests: number;
  /** Roughly how many groups there are in all; undefined before the estimate. */
  readonly estimatedGroups: number | undefined;
}

/** The walks that find what polls can't: often over recent groups, over all groups in the time that is left. */
export interface ReconciliationState {
  readonly recent: CycleState;
  /** Over older groups that are open. */
  readonly open: CycleState;
  readonly all: CycleState;
}

export interface CycleState {
  readonly isUnderWay: boolean;
  /** When this cycle began, or the last one if none is under way. */
  readonly startedAt: Instant;
  /** Creation time up to which this cycle has read all groups. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range, in the unit of Instant. */
  readonly rangeWidth: number;
  /** The next range is read no earlier, so that the walk keeps to its share of the budget. */
  readonly pausedUntil: Instant;
  /** The slot, as an instant, of the last tick in which it made progress or was not due; undefined before the first. */
  readonly progressedAt: Instant | undefined;
  /** Requests of this cycle so far. */
  readonly requests: number;
  /** Groups that look-ups did not find. */
  readonly removals: number;
  /** Groups of this cycle that were compared with their snapshots. */
  readonly compared: number;
  /** Compared groups that differed although their stamp had not moved. */
  readonly unstamped: number;
  /** When the previous cycle began: since then the groups had time to change. */
  readonly previousStartedAt: Instant | undefined;
  /** Whether it must begin, or go on, at once. */
  readonly isAsked: boolean;
  /** Requests of the last completed cycle; undefined before the first. */
  readonly lastRequests: number | undefined;
  readonly lastCompletedAt: Instant | undefined;
}

export interface HealthState {
  /** The slot, as an instant, of the last tick whose polls were complete: slots go on in an outage. */
  readonly lastSettledAt: Instant;
  /**
   * The slot, as an instant, of the last tick whose walks made progress or had nothing to do; undefined before the first tick
   * of a release that notes it.
   */
  readonly lastWalkedAt: Instant | undefined;
  readonly degradedSince: Instant | undefined;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  /** The source rests until then after refusals (401, 403). */
  readonly restUntil: Instant;
  readonly refusals: number;
  /** The number of the last hold that was reported. */
  readonly lastHoldReported: number;
  /** How many groups were set aside at the last report. */
  readonly setAsideReported: number;
  /** Why the last ticks failed; undefined after one that did not. */
  readonly failure: FailureState | undefined;
}

/** Ticks that failed one after the other. */
export interface FailureState {
  /** The last one's, as in {@link HealthState.reasons}. */
  readonly code: string;
  readonly message: string;
  /** The slot, as an instant, of the first of them. */
  readonly since: Instant;
  readonly ticks: number;
}

export interface SetAside {
  readonly groupId: number | undefined;
  readonly reason: string;
  readonly digest: string;
  readonly since: Instant;
  /** When it was last seen; undefined in notes of a release that did not keep it. */
  readonly seenAt: Instant | undefined;
}

/** Up to which moments everything is read, as of the last tick that ended. */
export interface ReadState {
  /** By the service's stamps; undefined until the baseline is completed. Does not move while anything is held. */
  readonly upTo: Instant | undefined;
  /** By the service's clock; undefined until the baseline is completed. */
  readonly reconciledThrough: Instant | undefined;
  /** When the first request of the walk over all groups was sent; undefined before its first answer. */
  readonly walkedFrom: Instant | undefined;
  /** Whether another process saved a group that this walk had read. */
  readonly isOvertaken: boolean;
  /** The number of the last `feed.source_read`: the minute of its slot, or one more than the one before. */
  readonly sequence: number;
  /** The last one, until it was appended to the ledger. */
  readonly report: ReadReport | undefined;
  /** The slot, as an instant, of the tick that reported it last; undefined before the first report. */
  readonly reportedAt: Instant | undefined;
}

/** A `feed.source_read` that is not in the ledger yet. */
export interface ReadReport {
  readonly object: EventOf<'feed.source_read'>['data']['object'];
  readonly time: Instant;
}

/** The guards' knowledge about a source, and their holds; see guarding/. */
export interface GuardingState {
  /** Standing holds, and released ones that still serve as permits. */
  readonly holds: readonly Hold[];
  /** The number of the last hold; numbers are never used twice. */
  readonly lastNumber: number;
  /** Hash of the address and token that were last proved to show this source; undefined while in doubt. */
  readonly seenWith: string | undefined;
  /** Entities found missing, and published as removed, in the current period of one cycle's length. */
  readonly entities: { readonly since: Instant; readonly missing: number; readonly removed: number };
  /** How many groups usually change without a newer stamp; undefined before the first range walked. */
  readonly usual: UsualChange | undefined;
}

export interface UsualChange {
  /** Changes of a group per hour: the most that a range of groups has shown. */
  readonly ratePerHour: number;
  readonly learnedAt: Instant;
  /** Whether a walk was finished since; until then the rate is provisional. */
  readonly isWhole: boolean;
}

/** The finding of a guard. */
export type Guard =
  | 'known_group_not_found'
  | 'known_range_empty'
  | 'groups_removed'
  | 'entities_removed'
  | 'changed_without_stamps';

/** The groups of a reconciliation walk: recently created ones, older ones that are open, or all. */
export type Tier = 'recent' | 'open' | 'all';

export interface Hold {
  /** Names the hold in `release`; a hold that grows beyond twice its size gets another. */
  readonly number: number;
  readonly guard: Guard;
  /** The tier whose cycle shows whether the hold is over. */
  readonly tier: Tier;
  readonly since: Instant;
  /** Groups or entities that are held; after a release, those that may still be published. */
  readonly suspects: number;
  /** How many suspects there were when the hold got its number. */
  readonly numberedAt: number;
  /** How many suspects the current cycle has found, and whether these still are too many. */
  readonly met: number;
  readonly isOverThreshold: boolean;
  /** The earliest creation time of a range with suspects: a release goes back there. */
  readonly from: Instant | undefined;
  /** Hash of the address and token, if the hold is about them. */
  readonly tokenHash: string | undefined;
  /** When it was released; undefined while it stands. */
  readonly releasedAt: Instant | undefined;
  /** A few of the suspects, for the operator who decides. */
  readonly samples: readonly HoldSample[];
}

/** The held changes of one return group, in words. */
export interface HoldSample {
  readonly groupId: number;
  /** For instance `shipment/77120 status`. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}
