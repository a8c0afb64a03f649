// Records the rows of a page: each group is compared with its snapshot, and differences are saved with their events
// before anything may count as settled. Only a row's projection outlives this, and its customer if settings ask for it.

import type { Unknowable } from '../comparing/changes.ts';
import { compareReading } from '../comparing/compare-reading.ts';
import { lastShownAt, leavesOut } from '../comparing/make-saves.ts';
import { fingerprintOf, type Memory } from '../comparing/memory.ts';
import { projectGroup } from '../comparing/project-group.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import {
  ADMITS_ALL,
  type ComparedReading,
  countAbsences,
  hasEvents,
  type ReadingGuard,
} from '../guarding/reading-guard.ts';
import { inParallel } from '../in-parallel.ts';
import type { Instant } from '../instant.ts';
import { SAVES_AT_ONCE } from '../limits.ts';
import type { GroupKey, Save, SaveResult, SnapshotStore } from '../ports.ts';
import type { Page } from '../reading/page.ts';
import type { ReadableRow, RowReading, UnreadableRow } from '../returns-service/parse-return-group.ts';
import { TooLargeToStoreError } from './store-errors.ts';

export interface RecorderOptions {
  readonly source: string;
  readonly generation: string;
  readonly store: SnapshotStore;
  readonly through: Reading['through'];
  readonly memory: Memory;
  /** Whether groups that it shows as unchanged are not loaded. If false, it still forgets the groups that are saved. */
  readonly trustsMemory: boolean;
  readonly settle: number;
  readonly announces: (reading: Reading) => boolean;
  readonly customerData: boolean;
  /** Which fields of the reading the snapshot could not have known. */
  readonly unknowable: (snapshot: Snapshot | undefined, reading: Reading) => Unknowable;
  /** Durably sets aside a row that can't be read, or a group that can't be stored. */
  readonly setAside: (row: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>) => void;
  /** Takes note of a group that changed since it was last read, with its stamp. */
  readonly noteFresh: (fresh: FreshGroup) => void;
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
  /** The earliest stamp of a group that differed and was not saved, since the start. */
  unsavedFrom(): Instant | undefined;
  readonly counts: RecordCounts;
}

export interface RecordCounts {
  /** Groups of all pages, each as often as it came. */
  groups: number;
  /** Groups seen for the first time. */
  firstSeen: number;
  events: number;
  /** Readings left for later: too stale to count as news, or overtaken by another process. */
  left: number;
  unreadable: number;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, memory, trustsMemory, source, generation, guard = ADMITS_ALL } = options;
  const counts: RecordCounts = { groups: 0, firstSeen: 0, events: 0, left: 0, unreadable: 0 };
  let unsavedFrom: Instant | undefined;
  const recall = (groupId: number) => (trustsMemory ? memory.recall(groupId) : undefined);

  async function take(page: Page): Promise<void> {
    counts.groups += page.rows.length;
    for (const row of page.rows) if (row.kind === 'unreadable') setAside(row);
    const readings = differing(page);
    if (readings.length === 0) return;
    const ids = readings.map(({ projection }) => projection.group.id);
    const snapshots = await store.load({ source, generation }, ids);
    const compared = readings.map((reading) => compare(snapshots.get(reading.projection.group.id), reading));
    await record(compared.filter((each) => guard.admits(each)));
  }

  async function record(all: readonly ComparedReading[]): Promise<void> {
    const admitted = all.map(withoutHeldRemovals);
    await saveSilent(admitted);
    const withEvents = admitted.filter(({ compared }) => hasEvents(compared));
    await inParallel(withEvents, SAVES_AT_ONCE, saveWithEvents);
  }

  /** Returns the comparison, without removals of entities if these are held. */
  function withoutHeldRemovals(each: ComparedReading): ComparedReading {
    const absences = countAbsences(each);
    if (absences.missing + absences.removed === 0) return each;
    if (guard.admitsRemovals(absences) || absences.removed === 0) return each;
    const { snapshot, reading } = each;
    const compared = compareReading(snapshot, reading, {
      ...comparisonOf(snapshot, reading),
      keepsMissing: true,
    });
    if (compared.verdict === 'unchanged') rememberAgain(reading, snapshot);
    return { ...each, compared };
  }

  function comparisonOf(snapshot: Snapshot | undefined, reading: Reading) {
    const unknowable = options.unknowable(snapshot, reading);
    const lastSeenAt = recall(reading.projection.group.id)?.sentAt;
    return { ...options, unknowable, lastSeenAt };
  }

  function setAside(row: Pick<UnreadableRow, 'id' | 'reason' | 'digest'>): void {
    counts.unreadable += 1;
    options.setAside(row);
  }

  /** Returns readings that may differ from what was saved last; the last one of a group that came twice. */
  function differing(page: Page): Reading[] {
    const readings = new Map<number, Reading>();
    for (const row of page.rows) {
      if (row.kind === 'unreadable') continue;
      const reading = makeReading(row, page, options);
      const known = recall(row.group.id);
      if (known !== undefined && known.fingerprint === fingerprintOf(reading.projection)) {
        memory.remember(row.group.id, known.showsAll ? { ...known, sentAt: page.sentAt } : known);
      } else {
        readings.set(row.group.id, reading);
      }
    }
    return [...readings.values()];
  }

  function compare(snapshot: Snapshot | undefined, reading: Reading): ComparedReading {
    const groupId = reading.projection.group.id;
    const compared = compareReading(snapshot, reading, comparisonOf(snapshot, reading));
    if (compared.verdict === 'unchanged') rememberAgain(reading, snapshot);
    if (compared.verdict === 'left') leave(reading);
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

  async function saveSilent(all: readonly ComparedReading[]): Promise<void> {
    const silent = all.flatMap(({ reading, compared }) => {
      const only =
        compared.verdict === 'differs' && compared.saves.length === 1 ? compared.saves[0] : undefined;
      return only !== undefined && only.events.length === 0 ? [{ reading, save: only }] : [];
    });
    if (silent.length === 0) return;
    const results = await saveAll(silent.map(({ save }) => save));
    for (const { reading, save } of silent) {
      const result = results.get(save.snapshot.groupId);
      if (result === 'saved') remember(reading, save.snapshot);
      if (result === 'conflict') leave(reading);
    }
  }

  /** @returns the results by group; groups too large to store are set aside and left out. */
  async function saveAll(saves: readonly Omit<Save, 'events'>[]): Promise<Map<number, SaveResult>> {
    try {
      const results = await store.saveAll({ source, generation }, saves);
      return new Map(results.map((result, index) => [saves[index]?.snapshot.groupId ?? Number.NaN, result]));
    } catch (error) {
      if (!(error instanceof TooLargeToStoreError)) throw error;
      setAside({ id: error.groupId, reason: error.message, digest: '' });
      const others = saves.filter(({ snapshot }) => snapshot.groupId !== error.groupId);
      if (others.length === saves.length) throw error;
      return others.length === 0 ? new Map() : saveAll(others);
    }
  }

  async function saveWithEvents({ reading, compared }: ComparedReading): Promise<void> {
    if (compared.verdict !== 'differs') return;
    const key: GroupKey = { source, generation, group: reading.projection.group.id };
    try {
      for (const save of compared.saves) {
        if ((await store.save(key, save)) === 'conflict') return leave(reading);
        counts.events += save.events.length;
      }
    } catch (error) {
      if (!(error instanceof TooLargeToStoreError)) throw error;
      setAside({ id: error.groupId, reason: error.message, digest: '' });
      return;
    }
    remember(reading, compared.saves.at(-1)?.snapshot);
  }

  function leave(reading: Reading): void {
    counts.left += 1;
    memory.forget(reading.projection.group.id);
    unsavedFrom = Math.min(unsavedFrom ?? reading.updatedAt, reading.updatedAt);
  }

  /** Remembers an unchanged group: what was remembered about it is still true. */
  function rememberAgain(reading: Reading, snapshot: Snapshot | undefined): void {
    remember(reading, snapshot, recall(reading.projection.group.id)?.sentAt);
  }

  function remember(reading: Reading, snapshot: Snapshot | undefined, lastSeenAt?: Instant): void {
    if (snapshot === undefined) return;
    const hasMissing = Object.keys(snapshot.absences).length > 0;
    const { id } = reading.projection.group;
    // The memory keeps what the service showed; the snapshot may keep an entity that this reading lacks.
    if (hasMissing || !trustsMemory) return void memory.forget(id);
    const showsAll = !leavesOut(snapshot, reading);
    const sentAt = showsAll ? reading.sentAt : lastShownAt(snapshot, { lastSeenAt });
    memory.remember(id, { fingerprint: fingerprintOf(reading.projection), sentAt, showsAll });
  }

  return { take, record, unsavedFrom: () => unsavedFrom, counts };
}

function makeReading(
  row: Extract<RowReading, ReadableRow>,
  { sentAt, receivedAt }: Page,
  { through, customerData }: RecorderOptions,
): Reading {
  const { group, updatedAt, createdAt } = row;
  const base = { projection: projectGroup(group), updatedAt, createdAt, sentAt, receivedAt, through };
  if (!customerData || !group.customer) return base;
  const { name = null, email = null, phone = null } = group.customer;
  return { ...base, customer: { name, email, phone } };
}
