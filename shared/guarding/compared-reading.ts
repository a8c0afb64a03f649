import type { Compared } from '../comparing/compare-reading.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';

/** A reading beside the stored state it was compared with. */
export interface ComparedReading {
  readonly snapshot: Snapshot | undefined;
  readonly reading: Reading;
  readonly compared: Compared;
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
