// Whether a group is likely to change again. Old groups that are still open are read as often as recent ones, because
// these are the ones that change.
import { entitiesOf, type Snapshot } from './snapshot.ts';

/** Statuses that hardly ever change again. All others count as open, including undocumented ones. */
const FINAL: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELED', 'DELIVERED', 'FAILED', 'PROCESSED']);

/** False for a removed group, and for one without known entities that could change. */
export function isOpen({ projection, removedAt }: Pick<Snapshot, 'projection' | 'removedAt'>): boolean {
  return removedAt === undefined && entitiesOf(projection).some(({ status }) => !FINAL.has(status));
}
