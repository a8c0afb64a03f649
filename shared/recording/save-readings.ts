// Saves compared readings, and notes what becomes of each: what is saved is remembered, what decides nothing is looked up.
import { ENTITY_ARRAYS } from '../comparing/change-set.ts';
import { digestOf } from '../comparing/digest.ts';
import { leavesOut } from '../comparing/make-save.ts';
import { idOf, type Reading, type Snapshot } from '../comparing/snapshot.ts';
import { OLDER_SETTLES } from '../comparing/stale-reads.ts';
import type { ComparedReading } from '../guarding/compared-reading.ts';
import { isHolding } from '../guarding/holds.ts';
import { MILLISECOND } from '../instant.ts';
import type { Save } from '../ports.ts';
import type { RecordCounts } from '../reporting/tick-report.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { LaneName, LookUp } from '../source/source-state.ts';
import { noteLookUp, noteLookUpAgain, olderSinceOf } from './look-up-queue.ts';
import { type SaveOutcome, saveCompared } from './save-compared.ts';
import { noteSetAside, takeBack } from './set-aside.ts';
import { TooLargeToStoreError } from './store-errors.ts';

/** Saves the readings that were admitted. */
export type SaveReadings = (admitted: readonly ComparedReading[], lane: LaneName) => Promise<void>;

/** @param firstSeen gets the groups that are saved for the first time */
export function createSaveReadings(
  { settings, store, memory, clock }: SourceSession,
  cell: SourceCell,
  counts: RecordCounts,
  firstSeen: Set<number>,
): SaveReadings {
  const settle = settings.settleMs * MILLISECOND;

  function conclude(each: ComparedReading, outcome: SaveOutcome | undefined, lane: LaneName): void {
    const { snapshot, reading, compared } = each;
    const groupId = idOf(reading);
    if (outcome instanceof TooLargeToStoreError) {
      const row = { groupId, reason: outcome.message, digest: '' };
      cell.update((state) => noteSetAside(state, row, clock.now()));
      return;
    }
    cell.update((state) => takeBack(state, new Set([groupId]), reading.sentAt));
    if (compared.verdict === 'unchanged') remember(snapshot, reading);
    else if (compared.verdict !== 'differs') putOff(each, lane);
    else if (outcome === 'saved') noteSaved(snapshot, reading, compared.save, lane);
    else leave({ groupId, dueAt: clock.now() }, lane);
  }

  function noteSaved(
    before: Snapshot | undefined,
    reading: Reading,
    { snapshot, events }: Save,
    lane: LaneName,
  ): void {
    const { groupId, absences } = snapshot;
    if (before === undefined) {
      counts.firstSeen += 1;
      firstSeen.add(groupId);
    }
    counts.events += events.length;
    if (reading.through === 'reconciliation') counts.foundByWalks += events.length;
    remember(snapshot, reading);
    // A second reading, `settle` later, decides whether what was missing is removed.
    if (Object.keys(absences).length > 0 && !isHolding(cell.state, 'removals'))
      queue({ groupId, dueAt: reading.receivedAt + settle }, lane);
  }

  /** Remembers a reading that shows all that the snapshot has. */
  function remember(snapshot: Snapshot | undefined, reading: Reading): void {
    const { sentAt, updatedAt, projection } = reading;
    const isWhole = snapshot && Object.keys(snapshot.absences).length === 0 && !leavesOut(snapshot, reading);
    if (isWhole === true) memory.remember(idOf(reading), { digest: digestOf(projection), sentAt, updatedAt });
  }

  /** Leaves a reading to a look-up. One that decides nothing is made again, when an answer just as old can decide. */
  function putOff({ snapshot, reading, compared }: ComparedReading, lane: LaneName): void {
    const groupId = idOf(reading);
    const now = clock.now();
    const knownAt = snapshot?.receivedAt ?? now;
    const olderSince =
      compared.verdict === 'older' ? (olderSinceOf(cell.state, groupId) ?? reading.receivedAt) : undefined;
    const decidesAt =
      olderSince === undefined ? knownAt + settle : Math.max(olderSince, knownAt) + OLDER_SETTLES;
    const dueAt = lane === 'look-ups' ? now + decidesAt - reading.sentAt : knownAt + settle;
    leave({ groupId, dueAt, olderSince }, lane);
  }

  function leave(next: LookUp, lane: LaneName): void {
    counts.left += 1;
    queue(next, lane);
  }

  function queue(next: LookUp, lane: LaneName): void {
    const note = lane === 'look-ups' ? noteLookUpAgain : noteLookUp;
    cell.update((state) => note(state, next));
  }

  return async (admitted, lane) => {
    // Another process may have read a new field everywhere: then what this one would fill in is a change.
    if (admitted.some(fillsIn)) await cell.confirm();
    // A save may be done although its answer is lost: then the memory would hide a change back.
    for (const { reading } of admitted) memory.forget(idOf(reading));
    const source = { source: settings.name, generation: cell.state.generation };
    const outcomes = await saveCompared(store, source, admitted);
    for (const each of admitted) conclude(each, outcomes.get(idOf(each.reading)), lane);
  };
}

/** Whether the save changes what is known without an event. */
function fillsIn({ snapshot, compared }: ComparedReading): boolean {
  if (snapshot === undefined || compared.verdict !== 'differs') return false;
  const { unpublished, projection } = compared.save.snapshot;
  return (
    Object.keys(unpublished).length > Object.keys(snapshot.unpublished).length ||
    ENTITY_ARRAYS.some((name) => snapshot.projection[name] === undefined && projection[name] !== undefined)
  );
}
