import { describe, expect, it } from 'vitest';
import { isOpen } from '../../../shared/comparing/is-open.ts';
import type { GroupProjection } from '../../../shared/comparing/snapshot.ts';
import { aSnapshot } from '../../contract/sample-saves.ts';

/** A group with one entity of each kind, in these statuses. */
function withStatuses(item: string, shipment: string, exchange: string): { projection: GroupProjection } {
  const { projection } = aSnapshot(1);
  const only = <Entity extends { readonly status: string }>(
    entities: readonly Entity[] | undefined,
    status: string,
  ) => entities?.slice(0, 1).map((entity) => ({ ...entity, status }));
  return {
    projection: {
      ...projection,
      return_line_items: only(projection.return_line_items, item),
      shipments: only(projection.shipments, shipment),
      exchange_line_items: only(projection.exchange_line_items, exchange),
    },
  };
}

describe('a group', () => {
  it.each([
    ['COMPLETED', 'DELIVERED', 'PROCESSED'],
    ['CANCELED', 'CANCELED', 'CANCELED'],
    ['COMPLETED', 'FAILED', 'PROCESSED'],
  ])('is not open if all its entities are done: %s, %s, %s', (...statuses) => {
    expect(isOpen(withStatuses(...statuses))).toBe(false);
  });

  it.each([
    ['OPEN', 'DELIVERED', 'PROCESSED'],
    ['COMPLETED', 'IN_TRANSIT', 'PROCESSED'],
    ['COMPLETED', 'DELIVERED', 'UNPROCESSED'],
    ['COMPLETED', 'DELIVERED', 'LOST_IN_THE_POST'],
  ])('is open if an entity may still change: %s, %s, %s', (...statuses) => {
    expect(isOpen(withStatuses(...statuses))).toBe(true);
  });

  it('is not open if it was removed or has no known entity that could change', () => {
    const open = withStatuses('OPEN', 'IN_TRANSIT', 'UNPROCESSED');
    const nothing = { return_line_items: undefined, shipments: undefined, exchange_line_items: undefined };

    expect(isOpen({ ...open, removedAt: 5 })).toBe(false);
    expect(isOpen({ projection: { ...open.projection, ...nothing } })).toBe(false);
  });
});
