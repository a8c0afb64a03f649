// What a warehouse system wants to know before a parcel arrives (a pre-advice, an advance shipping notice, an RMA), from a
// whole return: `data.return` of `return.changed`, a row of `export`, a row of a reader's `state`. Pure, so the same return
// always gives the same pre-advice: send it again under the same key whenever the return changes.
import type { ReturnLineItem, Shipment } from '../../shared/contract/entities.ts';
import type { WholeReturn } from '../../shared/contract/return-message.ts';
import { hasText, isTracked } from '../../shared/contract/tracked-shipment.ts';

export interface PreAdvice {
  /** The key, together with the source. */
  readonly returnGroupId: number;
  readonly order: WholeReturn['return_group']['order'];
  /** The parcels with a tracking number, also delivered ones. */
  readonly parcels: readonly PreAdviceParcel[];
  /** The goods in them, one line for each SKU. */
  readonly lines: readonly PreAdviceLine[];
}

export interface PreAdviceParcel {
  readonly shipmentId: number;
  readonly carrier: string | null;
  readonly trackingNumber: string;
  readonly status: Shipment['status'];
  /** The return line items that are known to be in it; empty if the service does not say. */
  readonly lineItemIds: readonly number[];
}

export interface PreAdviceLine {
  /** Null for goods without one: these have a line for each variant. */
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly productName: string | null;
  readonly variantName: string | null;
  /** Null if the service does not show that of one of the items. */
  readonly quantity: number | null;
  /** The return line items: by these ids events report what becomes of them. */
  readonly lineItemIds: readonly number[];
  /** Their line items of the order, without unknown ones. */
  readonly orderLineItemIds: readonly string[];
}

/**
 * The announcement of a return's goods. Line items that were canceled, or are only on parcels without a tracking number,
 * are left out; completed ones are not, because a refund may come before the parcel. An item that is on no parcel is
 * expected with the return.
 *
 * @param whole with all entities: not the row of an `export --type`
 * @returns undefined if there is nothing to announce: no parcel with a tracking number, no goods in one, or no return
 *   (null: it was removed or forgotten). Withdraw the pre-advice that you sent before.
 */
export function toPreAdvice(whole: WholeReturn | null): PreAdvice | undefined {
  const entities = whole?.entities ?? [];
  const shipments = entities.filter((entity) => entity.type === 'shipment');
  const tracked = shipments.filter(isTracked);
  const expected = entities
    .filter((entity) => entity.type === 'return_line_item')
    .filter(({ status }) => status !== 'CANCELED')
    .filter((item) => tracked.some((it) => isOn(it, item)) || !shipments.some((it) => isOn(it, item)));
  if (whole === null || tracked.length === 0 || expected.length === 0) return undefined;
  const { id, order } = whole.return_group;
  return {
    returnGroupId: id,
    order,
    parcels: tracked.map((shipment) => parcelOf(shipment, expected)),
    lines: [...Map.groupBy(expected, goodsOf).values()].map(lineOf),
  };
}

/** As in the events of a shipment: the service may leave out `return_ids`. */
function isOn({ id, return_ids: ids }: Shipment, item: ReturnLineItem): boolean {
  return ids.length > 0 ? ids.includes(item.id) : item.shipment_id === id;
}

function parcelOf(shipment: Shipment, expected: readonly ReturnLineItem[]): PreAdviceParcel {
  const { id, carrier, tracking_number: number, status } = shipment;
  const inside = expected.filter((item) => isOn(shipment, item));
  return {
    ...{ shipmentId: id, carrier, trackingNumber: number ?? '', status },
    lineItemIds: inside.map((item) => item.id),
  };
}

/** Variants that share no SKU are other goods, and so are items of which neither is known. */
function goodsOf({ id, sku, variant_platform_id: variant }: ReturnLineItem): string {
  if (hasText(sku)) return `sku ${sku}`;
  return variant === null ? `item ${id}` : `variant ${variant}`;
}

function lineOf(items: readonly ReturnLineItem[]): PreAdviceLine {
  const [{ sku, barcode, product_name, variant_name }] = items as [ReturnLineItem];
  const quantities = items.map(({ quantity }) => quantity);
  return {
    ...{ sku, barcode, productName: product_name, variantName: variant_name },
    quantity: quantities.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0),
    lineItemIds: items.map(({ id }) => id),
    orderLineItemIds: items.flatMap(({ platform_line_item_id: id }) => id ?? []),
  };
}
