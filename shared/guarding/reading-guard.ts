// The decisions of guards when readings are recorded: whether differences may be saved now, and whether missing
// entities may be published as removed.
import { keyOf } from '../comparing/change-set.ts';
import type { Compared } from '../comparing/compare-reading.ts';
import { entitiesOf, GROUP_ARRAYS, type Reading, type Snapshot } from '../comparing/snapshot.ts';
import type { HoldSample } from './guarding-state.ts';

export interface ComparedReading {
  readonly snapshot: Snapshot | undefined;
  readonly reading: Reading;
  readonly compared: Compared;
}

export interface ReadingGuard {
  /**
   * Counts the reading, and returns whether it may be saved now. Otherwise the guard keeps it, or a later walk finds it
   * again.
   */
  admits(compared: ComparedReading): boolean;
  /** Counts a group that was not compared, because the reading equals the remembered one. */
  noteUnchanged?(groupId: number): void;
  /**
   * Counts a group's missing entities, and returns whether they may be published as removed: otherwise they stay known.
   */
  admitsRemovals(absences: Absences): boolean;
}

export const ADMITS_ALL: ReadingGuard = { admits: () => true, admitsRemovals: () => true };

/** Whether a reading shows changes without a newer stamp of the group. */
export function isUnstamped({ snapshot, reading, compared }: ComparedReading): boolean {
  if (snapshot === undefined || snapshot.removedAt !== undefined) return false;
  if (reading.updatedAt > snapshot.updatedAt) return false;
  return compared.verdict === 'left' || hasEvents(compared);
}

/** Whether the comparison has events; otherwise it only fills in or notes what is not published. */
export function hasEvents(compared: Compared): boolean {
  return compared.verdict === 'differs' && compared.saves.some(({ events }) => events.length > 0);
}

/**
 * Whether a reading only shows the entities of an array that no answer had before: they may have been there all along,
 * so they say nothing about how often groups change.
 */
export function showsOnlyNewArrays({ snapshot, reading, compared }: ComparedReading): boolean {
  const shows = GROUP_ARRAYS.some((name) => !snapshot?.projection[name] && reading.projection[name]);
  const events = compared.verdict === 'differs' ? compared.saves.flatMap((save) => save.events) : [];
  return shows && events.every(({ type }) => type.endsWith('.created'));
}

/** Entities of a group that a reading lacks. */
export interface Absences {
  /** For the first time. */
  readonly missing: number;
  /** For the second time: they would be published as removed. */
  readonly removed: number;
  readonly samples?: readonly HoldSample[];
}

export function countAbsences({ snapshot, compared }: ComparedReading): Absences {
  const last = compared.verdict === 'differs' ? compared.saves.at(-1) : undefined;
  if (snapshot === undefined || last === undefined) return { missing: 0, removed: 0 };
  const missing = Object.keys(last.snapshot.absences).filter((key) => !(key in snapshot.absences)).length;
  const before = keysOf(snapshot);
  const after = new Set(keysOf(last.snapshot));
  return { missing, removed: before.filter((key) => !after.has(key)).length };
}

/** How many entities an unchanged group is known to lack. */
export function countStillMissing({ snapshot, compared }: ComparedReading): number {
  if (snapshot === undefined || compared.verdict === 'differs') return 0;
  const known = new Set(keysOf(snapshot));
  return Object.keys(snapshot.absences).filter((key) => known.has(key)).length;
}

function keysOf({ projection }: Snapshot): string[] {
  return entitiesOf(projection).map(keyOf);
}
