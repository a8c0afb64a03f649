// Whether a group is likely to change again. Old groups that are still open are read as often as recent ones, because
// these are the ones that change.
import type { GroupProjection, Snapshot } from './snapshot.ts';

/** Statuses that hardly ever change again. All others count as open, including undocumented ones. */
const FINAL: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELED', 'DELIVERED', 'FAILED', 'PROCESSED']);

/** False for a removed group, and for one without known entities that could change. */
export function isOpen({ projection, removedAt }: Pick<Snapshot, 'projection' | 'removedAt'>): boolean {
  return removedAt === undefined && statusesOf(projection).some((status) => !FINAL.has(status));
}

function statusesOf({ return_line_items, shipments, exchange_line_items }: GroupProjection): string[] {
  const entities = [...(return_line_items ?? []), ...(shipments ?? []), ...(exchange_line_items ?? [])];
  return entities.map(({ status }) => status);
}
