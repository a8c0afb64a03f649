// What an event shows beside its entity: the items on a shipment, the shipment of an item, and the fields that the
// source's settings include. It is taken from the group when the event is made. It is compared with nothing, so it never
// makes an event.
import type { ReturnLineItem, Shipment, ShipmentItem, ShipmentSummary } from '../contract/entities.ts';
import { MAX_ITEMS } from '../contract/event.ts';
import { MAX_ITEMS_BYTES } from '../limits.ts';
import type { Change } from './changes.ts';
import type { GroupProjection, Included } from './snapshot.ts';

/** The context of a change's entity; without fields for entities that have none. */
export function contextOf({ object }: Change, projection: GroupProjection): object {
  if (object.type === 'shipment') return itemsOn(object, indexOf(projection));
  if (object.type !== 'return_line_item') return {};
  return { shipment: summarize(shipmentOf(object, indexOf(projection))) };
}

/** The included fields that belong to an event of the entity. */
export function includedWith({ object }: Change, included: Included | undefined): object {
  if (included === undefined) return {};
  const { destination_addresses: addresses, ...ofGroup } = included;
  const ofShipment =
    addresses === undefined || object.type !== 'shipment'
      ? {}
      : { destination_address: addresses.get(object.id) ?? null };
  return { included: { ...ofGroup, ...ofShipment } };
}

interface ItemsOnShipment {
  readonly items: readonly ShipmentItem[];
  readonly items_total: number;
}

/** The service may leave out `return_ids`: then the items that name the shipment are on it. */
function itemsOn({ id, return_ids }: Shipment, { items: known, idsOn }: Index): ItemsOnShipment {
  const ids = new Set(return_ids.length > 0 ? return_ids : idsOn.get(id));
  const on = [...ids].sort((a, b) => a - b).flatMap((each) => known.get(each) ?? []);
  const items: ShipmentItem[] = [];
  let bytes = 0;
  for (const item of on.slice(0, MAX_ITEMS)) {
    const shown = shownOn(item);
    bytes += Buffer.byteLength(JSON.stringify(shown));
    if (bytes > MAX_ITEMS_BYTES) break;
    items.push(shown);
  }
  return { items, items_total: ids.size };
}

function shownOn(item: ReturnLineItem): ShipmentItem {
  const reason = item.return_reason_details;
  return {
    id: item.id,
    sku: item.sku,
    barcode: item.barcode,
    product_name: item.product_name,
    variant_name: item.variant_name,
    quantity: item.quantity,
    status: item.status,
    return_reason_details: reason && { value: reason.value },
  };
}

function shipmentOf({ id, shipment_id }: ReturnLineItem, { shipments, naming }: Index): Shipment | undefined {
  return (shipment_id === null ? undefined : shipments.get(shipment_id)) ?? naming.get(id);
}

function summarize(shipment: Shipment | undefined): ShipmentSummary | null {
  if (shipment === undefined) return null;
  const { id, status, carrier, tracking_number } = shipment;
  return { id, status, carrier, tracking_number };
}

interface Index {
  readonly items: ReadonlyMap<number, ReturnLineItem>;
  readonly shipments: ReadonlyMap<number, Shipment>;
  /** The ids of the items that name a shipment, by its id. */
  readonly idsOn: ReadonlyMap<number, readonly number[]>;
  /** The newest shipment that names an item, by the item's id. */
  readonly naming: ReadonlyMap<number, Shipment>;
}

/** All events of a reading share one projection, which may hold thousands of entities. */
const indexes = new WeakMap<GroupProjection, Index>();

function indexOf(projection: GroupProjection): Index {
  const index = indexes.get(projection) ?? createIndex(projection);
  indexes.set(projection, index);
  return index;
}

function createIndex({ return_line_items: items = [], shipments = [] }: GroupProjection): Index {
  const idsOn = new Map<number, number[]>();
  for (const { id, shipment_id } of items) {
    if (shipment_id === null) continue;
    const ids = idsOn.get(shipment_id) ?? [];
    idsOn.set(shipment_id, ids);
    ids.push(id);
  }
  return {
    items: new Map(items.map((item) => [item.id, item])),
    shipments: new Map(shipments.map((shipment) => [shipment.id, shipment])),
    idsOn,
    naming: new Map(
      shipments.flatMap((shipment) => shipment.return_ids.map((id) => [id, shipment] as const)),
    ),
  };
}
