import type { Instant } from '../instant.ts';
import { PROJECTION, type Snapshot } from './snapshot.ts';

/** A tombstone's own values; it takes the group's id and continues its version. */
type Kept = Pick<Snapshot, 'sequence' | 'updatedAt' | 'createdAt' | 'sentAt' | 'receivedAt'> & {
  readonly group: Snapshot['projection']['group'];
  readonly removedAt: Instant;
};

/** The snapshot of a removed group. It keeps nothing of the group's entities. */
export function makeTombstone({ groupId, version }: Snapshot, { group, ...kept }: Kept): Snapshot {
  return {
    groupId,
    version: version + 1,
    projectionVersion: PROJECTION,
    ...kept,
    projection: {
      group,
      return_line_items: undefined,
      shipments: undefined,
      exchange_line_items: undefined,
      refund_transactions: undefined,
    },
    absences: {},
    unpublished: {},
  };
}
