// What events show beside their entity.
import { describe, expect, it } from 'vitest';
import { projectIncluded } from '../../../shared/comparing/project-included.ts';
import type { EntityEvent, EventOf, EventType } from '../../../shared/contract/event.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { MAX_ITEMS_BYTES } from '../../../shared/limits.ts';
import { INCLUDABLE, readIncluded } from '../../../shared/returns-service/read-included.ts';
import { aRow, type Row, read, take } from './a-reading.ts';

function firstOf<Type extends EventType>(type: Type, events: readonly EntityEvent[]): EventOf<Type> {
  const event = events.find((candidate) => candidate.type === type);
  if (event === undefined) throw new Error(`There is no ${type}.`);
  return event as EventOf<Type>;
}

const created = (row: Row) => take(undefined, read(row)).events;

/** The row with this many items on its shipment. */
function withItems(count: number, change: (item: Row['returns'][number]) => object = () => ({})): Row {
  return aRow((row) => {
    const [item] = row.returns;
    if (item === undefined) return;
    row.returns = Array.from({ length: count }, (_, at) => ({ ...item, id: at + 1, ...change(item) }));
    for (const shipment of row.shipments) shipment.return_ids = row.returns.map(({ id }) => id);
  });
}

describe('a shipment’s event', () => {
  it('lists the items that it names, or else those that name it', () => {
    const named = aRow((row) => {
      for (const item of row.returns) item.shipment_id = null;
    });
    const naming = aRow((row) => {
      for (const shipment of row.shipments) delete shipment.return_ids;
    });

    for (const row of [aRow(), named, naming]) {
      const { data } = firstOf('shipment.created', created(row));
      expect(data.items.map(({ id }) => id)).toEqual(row.returns.map(({ id }) => id));
      expect(data.items_total).toBe(2);
    }
  });

  it('lists them by their ids, also one that an answer has left out for the first time', () => {
    const row = withItems(3);
    for (const shipment of row.shipments) delete shipment.return_ids;
    const { snapshot } = take(undefined, read(row));
    row.returns.shift();
    for (const shipment of row.shipments) shipment.tracking_number = 'T-2';

    const { events } = take(snapshot, read(row, 2 * MINUTE));

    expect(firstOf('shipment.updated', events).data.items.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('lists 50 items at most, and counts all', () => {
    const { data } = firstOf('shipment.created', created(withItems(51)));

    expect([data.items.length, data.items_total]).toEqual([50, 51]);
  });

  it('counts an item that the service names and does not show', () => {
    const row = aRow((row) => void row.returns.pop());

    const { data } = firstOf('shipment.created', created(row));

    expect([data.items.length, data.items_total]).toEqual([1, 2]);
  });

  it('lists fewer items if their texts are long', () => {
    const row = withItems(50, () => ({ product_name: 'x'.repeat(1_000), variant_name: 'y'.repeat(1_000) }));

    const { data } = firstOf('shipment.created', created(row));

    expect(data.items.length).toBeGreaterThan(10);
    expect(data.items.length).toBeLessThan(50);
    expect(JSON.stringify(data.items).length).toBeLessThan(MAX_ITEMS_BYTES + 100);
    expect(data.items_total).toBe(50);
  });
});

describe('an item’s event', () => {
  it('shows no shipment if there is none', () => {
    const row = aRow((row) => {
      row.shipments = [];
    });

    expect(firstOf('return_line_item.created', created(row)).data.shipment).toBeNull();
  });

  it('shows the newest shipment that names it, unless it names one itself', () => {
    const row = aRow((row) => {
      const [shipment] = row.shipments;
      if (shipment) row.shipments = [shipment, { ...shipment, id: shipment.id + 100 }];
      for (const item of row.returns.slice(0, 1)) item.shipment_id = null;
    });

    const [first, second] = created(row).filter(({ type }) => type === 'return_line_item.created');

    expect(first?.data).toMatchObject({ shipment: { id: (row.shipments[0]?.id ?? 0) + 100 } });
    expect(second?.data).toMatchObject({ shipment: { id: row.shipments[0]?.id } });
  });
});

describe('a change', () => {
  it('names each field that changed, one that was null included', () => {
    const { snapshot } = take(undefined, read(aRow((row) => clear(row))));

    const { events } = take(snapshot, read(aRow(), 2 * MINUTE));

    const { changed, previous_attributes } = firstOf('shipment.updated', events).data;
    expect(changed).toEqual(['carrier', 'tracking_number']);
    expect(previous_attributes).toEqual({ carrier: null, tracking_number: null });
  });

  function clear(row: Row): void {
    for (const shipment of row.shipments) Object.assign(shipment, { carrier: null, tracking_number: null });
  }
});

describe('backfill', () => {
  const old = { isOld: () => true, isOldEntity: () => true };

  it('marks everything of a group from before the feed’s start, and is not published without `emit`', () => {
    const emitted = take(undefined, read(aRow()), { ...old, emits: true }).events;
    const silent = take(undefined, read(aRow()), { ...old, emits: false }).events;

    expect(emitted.map(({ data }) => 'backfill' in data && data.backfill)).toEqual(emitted.map(() => true));
    expect(emitted.length).toBeGreaterThan(5);
    expect(silent).toEqual([]);
  });

  it('marks nothing of a new group, no change, and nothing new of an old group', () => {
    const fresh = take(undefined, read(aRow()), { emits: true });
    const { snapshot } = take(undefined, read(aRow((row) => void row.shipments.pop())), {
      ...old,
      emits: true,
    });

    const later = take(snapshot, read(aRow(), 2 * MINUTE), { ...old, emits: true });

    expect(later.events.map(({ type }) => type)).toContain('shipment.created');
    for (const { data } of [...fresh.events, ...later.events]) expect(data).not.toHaveProperty('backfill');
  });

  it('marks the old entities of an array that shows for the first time', () => {
    const row = { ...aRow(), returns: undefined };
    const { snapshot } = take(undefined, read(row), { ...old, emits: true });

    const { events } = take(snapshot, read(aRow(), 2 * MINUTE), { ...old, emits: true });

    expect(firstOf('return_line_item.created', events).data.backfill).toBe(true);
  });
});

describe('included fields', () => {
  const included = projectIncluded(readIncluded(aRow(), INCLUDABLE));

  it('are the shipment’s destination, the order’s tags and the suggested refund', () => {
    const { events } = take(undefined, read(aRow(), 0, { included }));
    const { destination_address, suggested_refund, order_tags } =
      firstOf('shipment.created', events).data.included ?? {};

    expect(Object.keys(destination_address ?? {})).toEqual(['city', 'province', 'country']);
    expect(order_tags).toEqual(['wholesale']);
    expect(suggested_refund?.refund_total?.shop_money).toEqual({ amount: 49.9, currency_code: 'EUR' });
    expect(firstOf('return_group.created', events).data.included).not.toHaveProperty('destination_address');
  });

  it('hold no name, street or postal code', () => {
    const [address] = aRow().shipments.map(({ destination_address }) => destination_address);

    const text = JSON.stringify([...(included.destination_addresses ?? [])]);

    expect(text).not.toContain(address?.address1);
    expect(text).not.toContain(address?.zip);
  });

  it('are cut: 50 tags, 200 characters each', () => {
    const row = { ...aRow(), order: { tags: [...Array(51).keys()].map((at) => `${at}${'x'.repeat(300)}`) } };

    const { order_tags: tags = [] } = projectIncluded(readIncluded(row, INCLUDABLE));

    expect(tags).toHaveLength(50);
    expect(tags[0]).toBe(`0${'x'.repeat(199)}`);
  });

  it('are null or empty where the service shows none, and absent where they are not asked for', () => {
    const row = { ...aRow(), suggested_refund: null, order: null, shipments: [] };

    expect(projectIncluded(readIncluded(row, INCLUDABLE))).toEqual({
      ...{ order_tags: [], suggested_refund: null, destination_addresses: new Map() },
    });
    expect(projectIncluded(readIncluded(row, []))).toEqual({});
  });

  it('make no event, and are not stored', () => {
    const first = take(undefined, read(aRow(), 0, { included }));

    const again = take(first.snapshot, read(aRow(), 2 * MINUTE, { included: { order_tags: ['vip'] } }));

    expect(again.verdict).toBe('unchanged');
    expect(JSON.stringify(first.snapshot)).not.toContain('wholesale');
  });
});
