// A delivered parcel is booked from its one event: no other event, table or call is needed.
import { expect, test } from 'vitest';
import delivered from '../../../docs/events/examples/shipment.status_changed.json' with { type: 'json' };
import type { Goods, LineItem } from '../../../functions/sample-warehouse/goods-table.ts';
import { createWarehouseHandlers } from '../../../functions/sample-warehouse/warehouse-handlers.ts';
import type { EventOf } from '../../../shared/contract/event.ts';
import type { DeliveredParcel } from '../../../shared/deployment/sample-warehouse.ts';

type Delivery = EventOf<'shipment.status_changed'>;

/** The warehouse of one process, which remembers what it was given. */
function aWarehouse() {
  const noted: LineItem[] = [];
  const started: DeliveredParcel[] = [];
  const goods: Goods = {
    note: async (lineItem) => {
      noted.push(lineItem);
      return [];
    },
    forgetWaiting: async () => {},
    claimParcel: async () => true,
    positionOf: async () => undefined,
    lineItemsOf: async () => [],
  };
  const workflow = {
    start: async (_: string, parcel: DeliveredParcel) => void started.push(parcel),
    wake: async () => {},
  };
  return { noted, started, handlers: createWarehouseHandlers({ goods, workflow }) };
}

async function deliver(event: Delivery) {
  const { noted, started, handlers } = aWarehouse();
  await handlers['shipment.status_changed']?.(event, { position: 'p5' } as never);
  return { noted, started };
}

const EXAMPLE = delivered as unknown as Delivery;

test('the items of the event are noted with their statuses, and the workflow expects them', async () => {
  const { noted, started } = await deliver(EXAMPLE);

  const parts = EXAMPLE.data.items.map(({ id }) => `line_item/${id}`);
  expect(noted.map(({ part, status, position }) => ({ part, status, position }))).toEqual(
    parts.map((part) => ({ part, status: 'OPEN', position: 'p5' })),
  );
  expect(noted.map(({ goods }) => goods)).toMatchObject([
    { sku: 'LSH-OLI-S', quantity: 1 },
    { sku: 'TRN-RUS-M', quantity: 1 },
  ]);
  expect(started).toMatchObject([{ return_group: EXAMPLE.partitionkey, line_items: parts }]);
});

test('items that the event leaves out are expected by their ids', async () => {
  const { object, items } = EXAMPLE.data;
  const data = {
    ...EXAMPLE.data,
    items: items.slice(1),
    object: { ...object, return_ids: [7, ...object.return_ids] },
  };

  const { noted, started } = await deliver({ ...EXAMPLE, data });

  expect(noted).toHaveLength(1);
  expect(started[0]?.line_items).toHaveLength(3);
});
