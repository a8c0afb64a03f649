// The one item per source that all its ticks agree on. Written conditionally; what a tick learned and could not
// save is learned again.
import type { WholeWalk } from '../comparing/known-fields.ts';
import type { EventOf, EventType } from '../contract/event.ts';
import type { Instant } from '../instant.ts';
import type { ListDepth } from '../reading/list-depth.ts';
import type { SourceSettings } from './source-settings.ts';

export interface SourceState {
  readonly source: string;
  readonly version: number;
  /** Mint time in base 36, so that generations sort; in every event's id. */
  readonly generation: string;
  /** Those that a new one was minted after: what is stored of a group may be stored under them as well. */
  readonly earlierGenerations: readonly string[];
  /** Where the state was minted ({@link SourceStates.identity}); found elsewhere, the feed stops. */
  readonly mintedIn: string;
  /** The feed's start by the stamps' clock: older groups are baseline. */
  readonly startedAt: Instant;
  /** The instant, by the stamps' clock, before which polls have nothing left to read. */
  readonly settledThrough: Instant;
  /** The last tick taken; an older or equal slot is dropped. */
  readonly lastSlot: number;
  readonly lease: Lease;
  readonly stamps: StampsState;
  readonly baseline: BaselineState;
  readonly reconciliation: ReconciliationState;
  /** The number of the feed's own last event. */
  readonly feedSequence: number;
  /** What the feed tells of itself with this state: appended once it is saved, again by who finds it here. */
  readonly feedReports: readonly FeedReport[];
  readonly health: HealthState;
  /** Unlisted values and fields already told as drift. Bounded. */
  readonly driftReported: readonly string[];
  /** Rows to a page that the service accepts; lowered by a 422 on `limit`. */
  readonly pageLimit: number;
  /** How far the service's lists can be paged. */
  readonly listDepth: ListDepth;
  /** Whether a page of ten or more rows came in this cycle: only then may a short page end a poll (R1). */
  readonly fullPageSeen: boolean;
  /** Width of the poll's next closed range, in the unit of Instant; halved where a range had too many pages (R3). */
  readonly pollWidth: number;
  /**
   * When the service first sent each watched field, for instance `shipment.carrier`: a snapshot from before could
   * not have known it.
   */
  readonly fieldsSince: Readonly<Record<string, Instant>>;
  /** The walks that have read these fields of every group: from then on a field that is new to a group is a change. */
  readonly wholeWalks: readonly WholeWalk[];
  /** Set-aside groups: id (or place), reason, digest of the row. */
  readonly setAside: readonly SetAside[];
  readonly guarding: GuardingState;
  /** What the last tick was told to keep to, for who looks at the state; undefined before there was such a note. */
  readonly pace: PaceSettings | undefined;
}

/** The settings that a source's figures are read by. */
export type PaceSettings = Pick<
  SourceSettings,
  'intervalMs' | 'lookbackMs' | 'reconcileMs' | 'requestsPerMinute'
>;

/** What a poller tells of its source. */
type OwnType = Exclude<Extract<EventType, `feed.${string}`>, 'feed.events_skipped'>;

/** An event of the feed itself that has no number yet. */
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
  /** In the time of slots. */
  readonly expiresAt: Instant;
}

/** What is known of the service's stamps; see reading/stamps-clock.ts. */
export interface StampsState {
  readonly zoned: boolean;
  /** Digits after the second. */
  readonly precision: number;
  /** How far plausible stamps run ahead of the answers' Date, in the unit of Instant. */
  readonly lead: number;
  /** The largest leads seen, one per group, from which `lead` is taken. */
  readonly leads: readonly { readonly groupId: number; readonly lead: number }[];
  readonly newest: Instant | undefined;
  /** The answer's Date by which `newest` was received. */
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
  /** How many groups there are in all, roughly; undefined before they were counted. */
  readonly estimatedGroups: number | undefined;
}

/** The walks that find what polls can't: over the lately created often, over all groups in what time is left. */
export interface ReconciliationState {
  readonly recent: CycleState;
  /** Over older groups that are open. */
  readonly open: CycleState;
  readonly all: CycleState;
}

export interface CycleState {
  readonly isUnderWay: boolean;
  /** When it began, or was last begun. */
  readonly startedAt: Instant;
  /** Creation time up to which this cycle has read all groups. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range, in the unit of Instant. */
  readonly rangeWidth: number;
  /** Its next range is not read before, so that it keeps to its share of the budget. */
  readonly pausedUntil: Instant;
  /** The slot, as an instant, of the last tick in which it got on or was not due; undefined before the first. */
  readonly progressedAt: Instant | undefined;
  /** Of this cycle so far. */
  readonly requests: number;
  /** Groups that look-ups did not find. */
  readonly removals: number;
  /** Groups of this cycle that were compared with what was known of them. */
  readonly compared: number;
  /** Of these, those that differed although their stamp had not moved. */
  readonly unstamped: number;
  /** When the cycle before it began: since then its groups had time to change. */
  readonly previousStartedAt: Instant | undefined;
  /** Whether it is to begin, or to go on, at once. */
  readonly isAsked: boolean;
  /** Of the last cycle that was completed; undefined before the first. */
  readonly lastRequests: number | undefined;
  readonly lastCompletedAt: Instant | undefined;
}

export interface HealthState {
  /** The slot, as an instant, of the last tick whose polls were complete: the one clock that goes on in an outage. */
  readonly lastSettledAt: Instant;
  /**
   * The slot, as an instant, of the last tick whose walks got on or had nothing to do; undefined before the first tick
   * of a release that notes it.
   */
  readonly lastWalkedAt: Instant | undefined;
  readonly degradedSince: Instant | undefined;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  /** The source rests until then after refusals (401, 403). */
  readonly restUntil: Instant;
  readonly refusals: number;
  /** The number of the last hold that was told. */
  readonly lastHoldReported: number;
  /** How many groups were set aside when that was told last. */
  readonly setAsideReported: number;
}

export interface SetAside {
  readonly groupId: number | undefined;
  readonly reason: string;
  readonly digest: string;
  readonly since: Instant;
  /** When it was last met; undefined in notes of a release that did not keep it. */
  readonly seenAt: Instant | undefined;
}

/** What the guards know of a source, and what they hold; see guarding/. */
export interface GuardingState {
  /** What is not believed, and what was released and is still being made up for. */
  readonly holds: readonly Hold[];
  /** The number of the last hold; none is ever used twice. */
  readonly lastNumber: number;
  /** Hash of the address and the token with which the source was last seen to be itself; undefined while in doubt. */
  readonly seenWith: string | undefined;
  /** Entities that were found missing, and told as removed, in the present cycle's time. */
  readonly entities: { readonly since: Instant; readonly missing: number; readonly removed: number };
  /** How many of its groups usually change without a newer stamp; undefined before a whole walk has shown it. */
  readonly usual: UsualChange | undefined;
}

export interface UsualChange {
  /** Changes of a group in an hour, at the most that a range of groups has shown. */
  readonly ratePerHour: number;
  readonly learnedAt: Instant;
  /** Whether a walk was finished since: before, it is no more than what is known so far. */
  readonly isWhole: boolean;
}

/** What a guard found. */
export type Guard =
  | 'known_group_not_found'
  | 'known_range_empty'
  | 'groups_removed'
  | 'entities_removed'
  | 'changed_without_stamps';

/** What a walk of reconciliation goes over: groups created lately, older ones that are open, or all. */
export type Tier = 'recent' | 'open' | 'all';

export interface Hold {
  /** What `release` names it by; one that grows to twice its size gets another. */
  readonly number: number;
  readonly guard: Guard;
  /** Whose cycle shows whether it is over. */
  readonly tier: Tier;
  readonly since: Instant;
  /** Groups or entities that are held; of what was released, those that may still be told. */
  readonly suspects: number;
  /** How many they were when it got its number. */
  readonly numberedAt: number;
  /** How many of them were met in the present cycle, and whether that still is too many. */
  readonly met: number;
  readonly isOverThreshold: boolean;
  /** The earliest creation time of a range in which they were met: a release goes back there. */
  readonly from: Instant | undefined;
  /** Of the address and the token that showed it, where that is what is not believed. */
  readonly tokenHash: string | undefined;
  /** When it was released; undefined while it stands. */
  readonly releasedAt: Instant | undefined;
}
