// Context never makes an event: whatever happens to the items of a return, its shipments have no event, and the other
// way round.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { EntityEvent } from '../../../shared/contract/event.ts';
import { formatInstant, MINUTE } from '../../../shared/instant.ts';
import { runs } from '../../property-runs.ts';
import { aRow, FIRST_READ, type Row, read, take } from './a-reading.ts';

const [SHIPMENT_ID = 0] = aRow().shipments.map(({ id }) => id);
const ITEM_IDS = aRow().returns.map(({ id }) => id);

const text = fc.constantFrom('A', 'B', 'C', null);
const itemFields = {
  status: fc.constantFrom('IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'),
  sku: text,
  barcode: text,
  product_name: fc.constantFrom('Shirt', 'Shoe'),
  variant_name: fc.constantFrom('S', 'M'),
  quantity: fc.integer({ min: 1, max: 3 }),
  shipment_id: fc.constantFrom(SHIPMENT_ID, 1, null),
  last_rma_number: text,
};
const shipmentFields = {
  status: fc.constantFrom('DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED'),
  carrier: text,
  tracking_number: text,
  shipped_at: fc.constantFrom('2026-11-20T10:00:00Z', null),
  return_ids: fc.subarray([...ITEM_IDS, 9]),
};

type Fields = Readonly<Record<string, unknown>>;

const step = <Values>(values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> }) =>
  fc.record({
    which: fc.nat(1),
    fields: fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Fields>,
    movesStamp: fc.boolean(),
  });

test.each([
  ['items', 'returns', 'return_line_item', step(itemFields)],
  ['shipments', 'shipments', 'shipment', step(shipmentFields)],
] as const)('changes of %s alone make no other events', (_, array, kind, steps) => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 12 }), (history) => {
      const row = aRow();
      let { snapshot } = take(undefined, read(row));
      const events: EntityEvent[] = [];
      history.forEach(({ which, fields, movesStamp }, at) => {
        const now = (at + 1) * 2 * MINUTE;
        if (movesStamp) row.updated_at = formatInstant(FIRST_READ + now - 1);
        change(row, array, which, fields);
        const taken = take(snapshot, read(row, now));
        snapshot = taken.snapshot;
        events.push(...taken.events);
        expectContext(taken.events, snapshot);
      });

      expect(events.filter(({ data }) => data.object.type !== kind)).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

function change(row: Row, array: 'returns' | 'shipments', which: number, fields: Fields): void {
  const entities: object[] = row[array];
  Object.assign(entities[which % entities.length] ?? {}, fields);
}

/** Every event shows the other entities as they are stored with it. */
function expectContext(events: readonly EntityEvent[], snapshot: Snapshot | undefined): void {
  const { return_line_items: known = [], shipments = [] } = snapshot?.projection ?? {};
  for (const { data } of events) {
    if ('items' in data) {
      const { id, return_ids } = data.object;
      const on = known.filter((item) =>
        return_ids.length > 0 ? return_ids.includes(item.id) : item.shipment_id === id,
      );
      expect(data.items).toEqual(
        on.map((item) => ({
          ...{ id: item.id, sku: item.sku, barcode: item.barcode, product_name: item.product_name },
          ...{ variant_name: item.variant_name, quantity: item.quantity, status: item.status },
          return_reason_details: item.return_reason_details && { value: item.return_reason_details.value },
        })),
      );
    }
    if ('shipment' in data) {
      const { id, shipment_id } = data.object;
      const named = shipments.find((shipment) => shipment.id === shipment_id);
      const on = named ?? shipments.findLast(({ return_ids }) => return_ids.includes(id));
      const { status, carrier, tracking_number } = on ?? {};
      expect(data.shipment).toEqual(
        on === undefined ? null : { id: on.id, status, carrier, tracking_number },
      );
    }
  }
}
