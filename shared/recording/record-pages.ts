// Records the rows of a page: each group is compared with its snapshot, and differences are saved with their events, or
// held, or set aside, before anything may count as settled. Only a row's projection outlives this, and its customer if
// settings ask for it.

import type { Unknowable } from '../comparing/changes.ts';
import { compareReading } from '../comparing/compare-reading.ts';
import type { Memory } from '../comparing/memory.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import { sampleMissingEntity } from '../guarding/hold-samples.ts';
import {
  ADMITS_ALL,
  type ComparedReading,
  countAbsences,
  isUnstamped,
  type ReadingGuard,
} from '../guarding/reading-guard.ts';
import type { Instant } from '../instant.ts';
import type { SnapshotStore } from '../ports.ts';
import type { Page } from '../reading/page.ts';
import type { UnreadableRow } from '../returns-service/parse-return-group.ts';
import { type ReadingOptions, readingsOf, unreadableOf } from './readings-of-page.ts';
import { createSaver } from './save-compared.ts';
import { createShownGroups } from './shown-groups.ts';
import { absenceOf, takeBackAbsences } from './take-back-absences.ts';

export interface RecorderOptions extends ReadingOptions {
  readonly source: string;
  readonly generation: string;
  readonly store: SnapshotStore;
  readonly memory: Memory;
  /**
   * Whether groups that the memory shows as unchanged are skipped. If not, it still forgets the groups that are saved.
   */
  readonly trustsMemory: boolean;
  /** How stale an answer may be, in the unit of Instant. */
  readonly settle: number;
  /** Whether a group that is seen for the first time is published. */
  readonly announces: (reading: Reading) => boolean;
  /** Called before the differences of a page are saved. If it throws, none is. */
  readonly beforeSaves?: (() => Promise<void>) | undefined;
  /** Which fields of the reading the snapshot could not have known. */
  readonly unknowable: (snapshot: Snapshot | undefined, reading: Reading) => Unknowable;
  /** Takes back the notes that these groups can't be read or stored: now they were read, and are saved next. */
  readonly takeBack?: (groupIds: readonly number[]) => void;
  /**
   * Keeps the notes of groups that were shown, but are not saved yet: a guard keeps them back, or the reading is stale.
   */
  readonly keepSetAside?: (groupIds: readonly number[]) => void;
  /**
   * Notes in the source's state, which is saved later, that a row can't be read, or a group can't be stored.
   *
   * @param since when it was found absent
   */
  readonly setAside: (row: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>, since?: Instant) => void;
  /** Called for a group that is new, or differs and has a newer stamp than its snapshot, before the guard decides. */
  readonly noteFresh: (fresh: FreshGroup) => void;
  /** Called if a group shows again less than `settle` after it was removed or forgotten. */
  readonly noteLeftNewer?: (sentAt: Instant) => void;
  /** Called if another process saved a group first, or a difference is left that may have shown long ago. */
  readonly noteOvertaken?: () => void;
  /** @default ADMITS_ALL */
  readonly guard?: ReadingGuard;
}

export interface FreshGroup extends Pick<Reading, 'updatedAt' | 'receivedAt'> {
  readonly groupId: number;
  readonly isFirstSight: boolean;
}

export interface Recorder {
  take(page: Page): Promise<void>;
  /** Saves what the guard kept back. */
  record(compared: readonly ComparedReading[]): Promise<void>;
  /**
   * The earliest stamp of a reading that was left, since the start: a stale one, or one that another process overtook.
   * What a guard keeps back, and groups too large to store, do not count.
   */
  unsavedFrom(): Instant | undefined;
  readonly counts: RecordCounts;
}

export interface RecordCounts {
  /** Groups of all pages, each as often as it came. */
  groups: number;
  /** Groups seen for the first time. */
  firstSeen: number;
  events: number;
  /** Readings left for later: too stale to be accepted, or overtaken by another process. */
  left: number;
  unreadable: number;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, source, generation, guard = ADMITS_ALL } = options;
  const counts: RecordCounts = { groups: 0, firstSeen: 0, events: 0, left: 0, unreadable: 0 };
  const shown = createShownGroups(options.memory, options.trustsMemory);
  const save = createSaver({
    ...{ source, generation, store, beforeSaves: options.beforeSaves },
    onSaved: shown.remember,
    onOvertaken(reading) {
      options.noteOvertaken?.();
      leave(reading);
    },
    onTooLarge: ({ groupId, message }) => setAside({ id: groupId, reason: message, digest: '' }),
    onEvents(count) {
      counts.events += count;
    },
  });
  let unsavedFrom: Instant | undefined;
  const comparisons = new WeakMap<Reading, ReturnType<typeof comparisonOf>>();

  async function take(page: Page): Promise<void> {
    counts.groups += page.rows.length;
    const unreadable = unreadableOf(page);
    const readings = differing(page);
    const ids = [...readings.map(({ projection }) => projection.group), ...unreadable].flatMap(
      ({ id }) => id ?? [],
    );
    const loaded =
      ids.length === 0 ? new Map<number, Snapshot>() : await store.load({ source, generation }, ids);
    const snapshots = await takeBackAbsences(loaded, store, { source, generation }, readings);
    const compared = readings.map((reading) => {
      const { id } = reading.projection.group;
      return compare(snapshots.get(id), reading, loaded.get(id));
    });
    const admitted = compared.filter((each) => guard.admits(each));
    options.keepSetAside?.(compared.filter((each) => !admitted.includes(each)).map(idOf));
    await record(admitted);
    // Last: the page may also show such a group in an old row that can be read.
    for (const row of unreadable) setAside(row, absenceOf(row.id, loaded));
  }

  function record(all: readonly ComparedReading[]): Promise<void> {
    const left = all.filter(({ compared }) => compared.verdict === 'left');
    options.keepSetAside?.(left.map(idOf));
    options.takeBack?.(all.filter((each) => !left.includes(each)).map(idOf));
    return save(all.map(withoutHeldRemovals));
  }

  /** Returns the comparison, without removals of entities if these are held. */
  function withoutHeldRemovals(each: ComparedReading): ComparedReading {
    const absences = countAbsences(each);
    if (absences.missing + absences.removed === 0) return each;
    const found = { ...absences, samples: sampleMissingEntity(each) };
    if (guard.admitsRemovals(found) || absences.removed === 0) return each;
    const { snapshot, reading } = each;
    const comparison = comparisons.get(reading) ?? comparisonOf(snapshot, reading);
    const compared = compareReading(snapshot, reading, { ...comparison, keepsMissing: true });
    if (compared.verdict === 'unchanged') shown.rememberAgain(reading, snapshot);
    return { ...each, compared };
  }

  function comparisonOf(snapshot: Snapshot | undefined, reading: Reading) {
    const unknowable = options.unknowable(snapshot, reading);
    const lastSeenAt = shown.recall(reading.projection.group.id)?.sentAt;
    return { ...options, unknowable, lastSeenAt, absentBefore: snapshot?.absences };
  }

  function setAside(row: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>, since?: Instant): void {
    counts.unreadable += 1;
    options.setAside(row, since);
  }

  /** Returns the readings that may differ from what was saved last, one of each group. */
  function differing(page: Page): Reading[] {
    const readings: Reading[] = [];
    const unchanged: number[] = [];
    for (const reading of readingsOf(page, options)) {
      const { id } = reading.projection.group;
      if (shown.isUnchanged(reading)) {
        guard.noteUnchanged?.(id);
        unchanged.push(id);
      } else readings.push(reading);
    }
    options.takeBack?.(unchanged);
    return readings;
  }

  /** @param before the snapshot before its notes of absence were taken back */
  function compare(snapshot: Snapshot | undefined, reading: Reading, before = snapshot): ComparedReading {
    const groupId = reading.projection.group.id;
    const comparison = comparisonOf(before, reading);
    comparisons.set(reading, comparison);
    const compared = compareReading(snapshot, reading, comparison);
    if (compared.verdict === 'unchanged') shown.rememberAgain(reading, snapshot);
    if (compared.verdict === 'left') {
      leave(reading);
      if (!isUnstamped({ snapshot, reading, compared })) options.noteLeftNewer?.(reading.sentAt);
      if (snapshot !== undefined && mayHaveShownLongAgo(snapshot, reading)) options.noteOvertaken?.();
    }
    if (snapshot === undefined) counts.firstSeen += 1;
    if (
      compared.verdict === 'differs' &&
      (snapshot === undefined || reading.updatedAt > snapshot.updatedAt)
    ) {
      const { updatedAt, receivedAt } = reading;
      options.noteFresh({ groupId, updatedAt, receivedAt, isFirstSight: snapshot === undefined });
    }
    return { snapshot, reading, compared };
  }

  /**
   * Whether a difference that is left may be older than `settle`: if the snapshot is dated by a clock that was ahead,
   * or if it holds only a part of a larger change (make-saves.ts), whose rest had shown already.
   */
  function mayHaveShownLongAgo({ sentAt, receivedAt }: Snapshot, reading: Reading): boolean {
    const { settle } = options;
    return receivedAt > reading.receivedAt + settle || sentAt < receivedAt - settle;
  }

  function leave(reading: Reading): void {
    counts.left += 1;
    shown.forget(reading.projection.group.id);
    unsavedFrom = Math.min(unsavedFrom ?? reading.updatedAt, reading.updatedAt);
  }

  return { take, record, unsavedFrom: () => unsavedFrom, counts };
}

function idOf({ reading }: ComparedReading): number {
  return reading.projection.group.id;
}
