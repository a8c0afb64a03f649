// The ports of the domain. Each has an adapter for AWS in functions/adapters. The stores and destinations also have a
// fake in test/fakes; the suites of test/contract test both against these descriptions. No type of an SDK appears.
import type { Snapshot } from './comparing/snapshot.ts';
import type { FeedEvent } from './contract/event.ts';
import type { OwnGroup } from './contract/event-id.ts';
import type { Instant } from './instant.ts';
import type { SourceState } from './source/source-state.ts';

/** Time. The domain reads no other clock. */
export interface Clock {
  /** The local time; may be wrong by any amount and may jump. */
  now(): Instant;
  /** Time since some moment, never going back, in the unit of {@link Instant}. */
  elapsed(): number;
  /** Resolves after this time, or at once when the signal is aborted. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Names the sequence in which a group's events are numbered, within its source's generation. */
export interface GroupKey {
  readonly source: string;
  readonly generation: string;
  readonly group: number | OwnGroup;
}

/** A group's next state and events, saved together or not at all. */
export interface Save {
  readonly snapshot: Snapshot;
  /** The version that the change set was computed from; 0 where there was no snapshot. */
  readonly expectedVersion: number;
  /** Any number of events, with the numbers after the old snapshot's sequence. */
  readonly events: readonly FeedEvent[];
}

export type SaveResult = 'saved' | 'conflict';

/** The snapshots of all groups, and the events that come with their changes. */
export interface SnapshotStore {
  /**
   * Strongly consistent. A group that is not in the answer has no snapshot; if one could not be read, the call throws.
   */
  load(
    source: Pick<GroupKey, 'source' | 'generation'>,
    groups: readonly number[],
  ): Promise<Map<number, Snapshot>>;
  /**
   * One transaction: the snapshot if its version still is the expected one, and its events. After a timeout the save
   * may be done or not; calling again with the same argument then returns `conflict` or `saved` and never saves twice.
   *
   * @throws TooLargeToStoreError if a retry is of no use; nothing was saved.
   */
  save(key: GroupKey, save: Save): Promise<SaveResult>;
  /**
   * Saves snapshots without events, no two of one group, each on its own condition, as fast as the store takes them.
   *
   * @returns one result per save, in the order given.
   * @throws TooLargeToStoreError for the first that is too large; then nothing was saved.
   */
  saveAll(
    source: Pick<GroupKey, 'source' | 'generation'>,
    saves: readonly Omit<Save, 'events'>[],
  ): Promise<SaveResult[]>;
  /**
   * Returns the known groups of one range of creation, ascending, both bounds included; removed ones are left out. A
   * save of a moment ago may not show yet.
   */
  knownCreatedBetween(
    source: Pick<GroupKey, 'source' | 'generation'>,
    from: Instant,
    to: Instant,
  ): AsyncIterable<KnownGroup>;
}

export interface KnownGroup {
  readonly groupId: number;
  readonly createdAt: Instant;
  /** Of the snapshot as compared ({@link Snapshot}); undefined if it has to be loaded to compare the group. */
  readonly digest: string | undefined;
}

/** One of a group's events as the ledger holds it. An entry that can't be decoded says so instead of throwing. */
export type LedgerEntry =
  | { readonly sequence: number; readonly event: FeedEvent }
  | { readonly sequence: number; readonly undecodable: string };

/** The append-only table of all events. */
export interface Ledger {
  /**
   * Strongly consistent, ascending, from the first number above `after`; at most `limit` entries, fewer only if
   * the group has no more. May show a part of a transaction that is just being written.
   */
  read(key: GroupKey, after: number, limit: number): Promise<LedgerEntry[]>;
  /**
   * Adds one event of the feed itself, of group `feed` or `read`, which have no snapshot; `conflict` if its number is
   * taken. Events of `feed` never expire, because only the ledger is sure to know their last number. Those of `read`
   * expire after READ_RETENTION (limits.ts). Events of return groups are only added by {@link SnapshotStore.save}.
   */
  append(key: GroupKey, event: FeedEvent): Promise<SaveResult>;
  /**
   * Returns every group that has events, in any order, with the number of its last one; a group may come twice. Not a
   * snapshot: groups written meanwhile may be left out.
   *
   * @param lacking a store that has the marks beside the ledger may leave out all other groups
   */
  groups(lacking?: Lacking): AsyncIterable<{ readonly key: GroupKey; readonly last: number }>;
}

/** The groups with events that a destination lacks. */
export interface Lacking {
  readonly destination: string;
  /** Of groups without a mark, only those with an event that was saved later. @default all */
  readonly since?: Instant | undefined;
}

/** The only way to erase events from the ledger before they expire. None of the functions has it. */
export interface LedgerEraser {
  /**
   * Erases a group's events up to and including a number; a repetition erases what was left.
   *
   * @returns how many there were.
   */
  erase(key: GroupKey, through: number): Promise<number>;
}

/** How far a destination got with each group. Marks never expire, and never move back. */
export interface Marks {
  /** The number of the last event sent, undefined before the first. */
  load(destination: string, key: GroupKey): Promise<number | undefined>;
  /**
   * Moves the mark forward and removes the note that the group is behind; a mark that already is as far or further
   * stays, and so does its note.
   *
   * @returns whether it moved; if not, another process was faster, or an earlier call had taken effect
   */
  advance(destination: string, key: GroupKey, sequence: number): Promise<boolean>;
  /**
   * Notes that a group stopped at its mark because of its next event, and why; undefined removes the note.
   *
   * @returns false, and no note, if the mark has passed that event: another process was faster; for undefined, whether
   *   there was a note
   */
  noteBehind(destination: string, key: GroupKey, stop: BehindAt | undefined): Promise<boolean>;
}

/** The event at which a group stopped, by its number, and the reason. */
export interface BehindAt {
  readonly sequence: number;
  readonly reason: string;
}

export type SendResult =
  | { readonly sent: true }
  /** `rejected`: for its content, a retry would not help. `failed`: retry. */
  | { readonly sent: false; readonly cause: 'rejected' | 'failed'; readonly reason: string };

/** Where a relay sends events: the ordered topic, the bus, or a webhook's endpoint. */
export interface Destination {
  readonly name: string;
  /**
   * At most MAX_BATCH_ENTRIES events, no two of one group.
   *
   * @returns one result per event, in order.
   * @throws if the destination failed as a whole; then any of them may have been sent.
   */
  send(events: readonly FeedEvent[]): Promise<SendResult[]>;
}

/** The one item per source that keeps how far it is read. */
export interface SourceStates {
  /** Strongly consistent; undefined before the first tick. */
  load(source: string): Promise<SourceState | undefined>;
  /**
   * Writes the state if its version still is `expectedVersion` (0: if there is none); the state's own `version`
   * must be one more.
   */
  save(state: SourceState, expectedVersion: number): Promise<SaveResult>;
  /** Identifies the place in which states are kept, to distinguish a restored copy from the original. */
  identity(): Promise<string>;
}

/** The lease of operators' searches of a source. */
export interface SearchLease {
  /** Counts the saves; 0 before the first. */
  readonly version: number;
  /** When it ends unless the search ends before; 0 if no search is under way. */
  readonly expiresAt: Instant;
  /** When the requests of the last minute were sent. */
  readonly sentAt: readonly Instant[];
}

/** Where searches of a source are counted, by all processes. */
export interface Searches {
  /** Strongly consistent. */
  load(source: string): Promise<SearchLease>;
  /** Writes the lease if its version still is `expectedVersion`; the lease's own `version` must be one more. */
  save(source: string, lease: SearchLease, expectedVersion: number): Promise<SaveResult>;
}

export interface LogFields {
  readonly [name: string]: string | number | boolean | undefined | Error | readonly string[];
}

/** Structured lines for operators. Never contains fields of a row other than ids. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
