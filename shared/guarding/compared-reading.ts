import type { Compared, CompareOptions } from '../comparing/compare-reading.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';

/** A reading whose digest is the known one. */
export interface Unchanged {
  readonly reading: Reading;
  readonly compared: 'unchanged';
}

/** A reading beside the stored state it was compared with. */
export interface ComparedReading {
  readonly snapshot: Snapshot | undefined;
  readonly reading: Reading;
  readonly compared: Compared;
}

/** Compares a reading again, in another way. */
export type CompareAgain = (
  each: ComparedReading,
  choice: Pick<CompareOptions, 'keepsMissing' | 'adopts'>,
) => ComparedReading;

/** The readings of a page whose digest is not the known one. */
export function differingOf(page: readonly (ComparedReading | Unchanged)[]): ComparedReading[] {
  return page.flatMap((each) => (each.compared === 'unchanged' ? [] : [each]));
}

/** Groups seen for the first time, removed ones, and readings that are left say nothing of a mass change. */
export function isCounted({ snapshot, compared }: ComparedReading): boolean {
  const isLeft = compared.verdict === 'left' || compared.verdict === 'older';
  return snapshot !== undefined && snapshot.removedAt === undefined && !isLeft;
}

export function isOlder({ compared }: Pick<ComparedReading, 'compared'>): boolean {
  return compared.verdict === 'older';
}

/** Whether the comparison has events; otherwise it only fills in or notes what is not published. */
export function hasEvents(compared: Compared): boolean {
  return compared.verdict === 'differs' && compared.save.events.length > 0;
}

/** How many entities would be published as removed. */
export function removedEntities({ compared }: ComparedReading): number {
  if (compared.verdict !== 'differs') return 0;
  return compared.save.events.filter(({ type }) => type.endsWith('.removed')).length;
}
