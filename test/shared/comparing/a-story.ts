// A return from its first reading to its removal, with an event of every type of return groups.
import { removeGroup } from '../../../shared/comparing/remove-group.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { EntityEvent } from '../../../shared/contract/event.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, FIRST_READ, OPTIONS, type Row, read, take } from './a-reading.ts';

/** Changes at the service, each with the time from the first reading to the reading after the change. */
const CHAPTERS: readonly { readonly after: number; readonly happens: (row: Row) => void }[] = [
  { after: 0, happens: () => {} },
  { after: 2 * MINUTE, happens: deliver },
  { after: 3 * MINUTE, happens: correct },
  // The entity is absent from now on; the stamp does not move.
  { after: 5 * MINUTE, happens: dropEntities },
  { after: 7 * MINUTE, happens: () => {} },
];

export function storyEvents(): EntityEvent[] {
  const row = aRow();
  const events: EntityEvent[] = [];
  let snapshot: Snapshot | undefined;
  for (const { after, happens } of CHAPTERS) {
    happens(row);
    const taken = take(snapshot, read(row, after));
    snapshot = taken.snapshot;
    events.push(...taken.events);
  }
  return [...events, ...remove(snapshot)];
}

function deliver(row: Row): void {
  row.updated_at = '2026-11-20T10:16:58.5Z';
  for (const shipment of row.shipments) {
    shipment.status = 'DELIVERED';
    shipment.delivered_at = '2026-11-20T10:16:40Z';
  }
  for (const item of row.returns.slice(0, 1)) {
    item.status = 'COMPLETED';
    item.platform_refund_transaction_ids = ['refund-2', 'refund-1'];
  }
  for (const item of row.exchange_line_items) {
    item.status = 'PROCESSED';
    item.line_item_platform_id = '1139-exchanged';
  }
}

function correct(row: Row): void {
  row.updated_at = '2026-11-20T10:18:01Z';
  row.return_outcome = 'exchange+credit';
  for (const shipment of row.shipments) shipment.tracking_number = '1Z999AA10123456784';
  for (const item of row.returns.slice(0, 1)) item.last_rma_number = 'RMA-77';
  for (const item of row.exchange_line_items) item.quantity = 2;
}

function dropEntities(row: Row): void {
  row.returns = [];
  row.shipments = [];
  row.exchange_line_items = [];
}

function remove(snapshot: Snapshot | undefined): EntityEvent[] {
  const sentAt = FIRST_READ + 20 * MINUTE;
  const lookUp = { sentAt, receivedAt: sentAt + SECOND / 2, through: 'reconciliation' } as const;
  const save = snapshot && removeGroup(snapshot, lookUp, OPTIONS);
  return (save?.events ?? []) as EntityEvent[];
}
