// What guards have a say in when readings are recorded: whether what differs may be saved now, and whether entities
// that are gone may be told as removed.
import type { Compared } from '../comparing/compare-reading.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';

export interface ComparedReading {
  readonly snapshot: Snapshot | undefined;
  readonly reading: Reading;
  readonly compared: Compared;
}

export interface ReadingGuard {
  /** Whether it may be saved now. What may not is kept by the guard, or found again by a later walk. */
  admits(compared: ComparedReading): boolean;
  /** Whether so many entities of a group may be told as removed; else they stay known as missing. */
  admitsRemovals(entities: number): boolean;
}

export const ADMITS_ALL: ReadingGuard = { admits: () => true, admitsRemovals: () => true };

/** Whether a reading tells of changes that the group's stamp says nothing of. */
export function isUnstamped({ snapshot, reading, compared }: ComparedReading): boolean {
  if (snapshot === undefined || snapshot.removedAt !== undefined) return false;
  if (reading.updatedAt > snapshot.updatedAt) return false;
  return compared.verdict === 'left' || tellsAnything(compared);
}

/** Whether it comes with events; else it fills in, or notes, what nobody is told of. */
export function tellsAnything(compared: Compared): boolean {
  return compared.verdict === 'differs' && compared.saves.some(({ events }) => events.length > 0);
}

/** How many entities of its group a reading would tell as removed. */
export function countRemovals(compared: Compared): number {
  if (compared.verdict !== 'differs') return 0;
  const events = compared.saves.flatMap((save) => save.events);
  return events.filter(({ type }) => type.endsWith('.removed')).length;
}
