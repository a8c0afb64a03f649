// Whether a group is likely to change once more. Old groups that are still open are read as often as the lately
// created, for it is these that change.
import type { GroupProjection, Snapshot } from './snapshot.ts';

/** Statuses that hardly anything follows. All others, those that no document lists included, count as open. */
const FINAL: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELED', 'DELIVERED', 'FAILED', 'PROCESSED']);

/** A removed group is not open, nor is one of which nothing is known that could change. */
export function isOpen({ projection, removedAt }: Pick<Snapshot, 'projection' | 'removedAt'>): boolean {
  return removedAt === undefined && statusesOf(projection).some((status) => !FINAL.has(status));
}

function statusesOf({ return_line_items, shipments, exchange_line_items }: GroupProjection): string[] {
  const entities = [...(return_line_items ?? []), ...(shipments ?? []), ...(exchange_line_items ?? [])];
  return entities.map(({ status }) => status);
}
