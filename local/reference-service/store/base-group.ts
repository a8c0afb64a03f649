// Makes a whole group from its outline. The result depends only on (seed, row), so a group is not stored before it
// changes.

import { DAY, HOUR, type Instant } from '../../../shared/instant.ts';
import {
  CITIES,
  GATEWAYS,
  ORDER_SOURCES,
  ORDER_TAGS,
  PARTNER_METHODS,
  RMA_PROVIDERS,
  STREETS,
  WAREHOUSE,
} from './catalogue.ts';
import {
  carrierOf,
  emailOf,
  groupIdOf,
  lineItemId,
  nameOf,
  orderIdOf,
  orderNameOf,
  orderOf,
  personOf,
  shipmentId,
  trackingNumberOf,
} from './identities.ts';
import { type ItemProgress, newExchange, newLineItem } from './line-items.ts';
import { sumOf } from './money.ts';
import { type Outline, STAGE, stageOf } from './outline.ts';
import { outcomeOf, suggestedRefund } from './refunding.ts';
import { createRandom, mix, type Random } from './seeded-random.ts';
import type {
  StoredAddress,
  StoredCustomer,
  StoredExchange,
  StoredGroup,
  StoredLineItem,
  StoredOrder,
  StoredRefund,
  StoredShipment,
} from './stored-group.ts';

/**
 * @param orderedBy when the first return of this group's order was created; the order is older
 */
export function baseGroup(row: number, seed: number, outline: Outline, orderedBy: Instant): StoredGroup {
  const id = groupIdOf(row);
  const random = createRandom(mix(seed, row, 6));
  const presentment = random.chance(0.15) ? 'EUR' : 'USD';
  const context = { groupId: id, createdAt: outline.createdAt, presentment, random } as const;
  const isRefunded = outline.progress >= STAGE.refunded && !outline.isCanceled;
  const refundId = `gid://platform/OrderTransaction/${id + 900_000_000}`;

  const exchanges = Array.from({ length: outline.exchanges }, (_, place) =>
    settledExchange(newExchange(place, context), outline),
  );
  const hasRma = random.chance(0.3);
  const returns = Array.from({ length: outline.lineItems }, (_, place) => {
    const rma = hasRma ? random.pick(RMA_PROVIDERS) : null;
    const progress = itemProgress(place, id, outline, { rma, refundId: isRefunded ? refundId : null });
    return newLineItem(place, progress, context);
  });
  const credit = random.chance(0.3) ? 'STORE_CREDIT' : 'ORIGINAL_PAYMENT_METHOD';
  const refunds: StoredRefund[] = isRefunded
    ? [
        {
          platform_id: refundId,
          amount: sumOf(returns, 'total', presentment),
          gateway: random.pick(GATEWAYS),
        },
      ]
    : [];
  return {
    id,
    return_method: methodOf(outline, random),
    credit_method: isRefunded ? credit : null,
    created_at: outline.createdAt,
    updated_at: outline.updatedAt,
    return_outcome: isRefunded ? outcomeOf(credit, exchanges.length > 0) : null,
    order: orderAt(row, seed, orderedBy),
    customer: customerOf(row, seed),
    shipments: shipmentsOf(row, seed, outline, returns),
    returns,
    exchange_line_items: exchanges,
    refund_transactions: refunds,
    suggested_refund: suggestedRefund(returns, exchanges, presentment),
  };
}

function methodOf(outline: Outline, random: Random): string {
  const isPartner = random.chance(0.15);
  if (outline.parcels === 0) return 'STORE_DROP_OFF';
  if (isPartner) return random.pick(PARTNER_METHODS);
  return random.chance(0.1) ? 'SELF_SHIP' : 'TRADITIONAL';
}

function itemProgress(
  place: number,
  groupId: number,
  outline: Outline,
  { rma, refundId }: { rma: string | null; refundId: string | null },
): ItemProgress {
  const hasArrived = outline.progress >= STAGE.delivered && !outline.isCanceled;
  return {
    status: lineItemStatus(outline),
    shipment_id: outline.parcels === 0 ? null : shipmentId(groupId, place % outline.parcels),
    platform_refund_transaction_ids: refundId === null ? [] : [refundId],
    last_rma_number: hasArrived && rma !== null ? `RMA-${lineItemId(groupId, place)}` : null,
    last_rma_provider: hasArrived ? rma : null,
  };
}

function lineItemStatus(outline: Outline): string {
  if (outline.isCanceled) return 'CANCELED';
  if (outline.isClosed) return 'COMPLETED';
  return outline.wasReviewed && outline.progress < STAGE.reviewed ? 'IN_REVIEW' : 'OPEN';
}

function settledExchange(exchange: StoredExchange, outline: Outline): StoredExchange {
  if (outline.isCanceled) return { ...exchange, status: 'CANCELED' };
  if (outline.progress < STAGE.refunded) return exchange;
  return {
    ...exchange,
    status: 'PROCESSED',
    line_item_platform_id: `gid://platform/LineItem/${exchange.id}`,
  };
}

function shipmentsOf(
  row: number,
  seed: number,
  outline: Outline,
  items: readonly StoredLineItem[],
): StoredShipment[] {
  return Array.from({ length: outline.parcels }, (_, place) => {
    const id = shipmentId(groupIdOf(row), place);
    const status = shipmentStatus(place, outline);
    const hasLabel = status !== 'DRAFT';
    const deliveredAt = outline.createdAt + Math.floor(stageOf('delivered', place) * outline.lifetime);
    return {
      id,
      status,
      carrier: hasLabel ? carrierOf(seed, row) : null,
      tracking_number: hasLabel ? trackingNumberOf(seed, row, place) : null,
      created_at: outline.createdAt,
      origin_address: homeOf(personOf(row), seed),
      destination_address: WAREHOUSE,
      shipped_at: outline.shippedAt[place] ?? null,
      delivered_at: status === 'DELIVERED' ? deliveredAt : null,
      return_group_id: groupIdOf(row),
      return_ids: items.filter((item) => item.shipment_id === id).map((item) => item.id),
    };
  });
}

function shipmentStatus(place: number, outline: Outline): string {
  if (outline.isCanceled) return 'CANCELED';
  if (outline.progress < STAGE.labelled) return 'DRAFT';
  if (outline.progress < stageOf('shipped', place)) return 'CREATED';
  if (outline.progress < stageOf('delivered', place)) return 'IN_TRANSIT';
  return outline.parcelLost ? 'FAILED' : 'DELIVERED';
}

function orderAt(row: number, seed: number, returnedAt: Instant): StoredOrder {
  const order = orderOf(row);
  const random = createRandom(mix(seed, order, 7));
  const createdAt = returnedAt - 9 * DAY - random.below(20 * 24) * HOUR;
  return {
    id: orderIdOf(row),
    platform_id: `gid://platform/Order/${order + 45_000_000}`,
    name: orderNameOf(row),
    tags: random.chance(0.25) ? [random.pick(ORDER_TAGS)] : [],
    created_at: createdAt,
    source_name: random.pick(ORDER_SOURCES),
    fulfilled_at: createdAt + 26 * HOUR,
    taxes_included: random.chance(0.2),
  };
}

function customerOf(row: number, seed: number): StoredCustomer {
  const person = personOf(row);
  const { first, last } = nameOf(seed, person);
  const hash = mix(seed, person, 8);
  return {
    name: `${first} ${last}`,
    email: emailOf(seed, row),
    phone: hash % 3 === 0 ? null : `+1503555${String(hash % 10_000).padStart(4, '0')}`,
  };
}

function homeOf(person: number, seed: number): StoredAddress {
  const hash = mix(seed, person, 9);
  const city = CITIES[hash % CITIES.length] as (typeof CITIES)[number];
  return {
    address1: `${1 + (hash % 180)} ${STREETS[(hash >>> 8) % STREETS.length]}`,
    address2: hash % 5 === 0 ? `Apt ${1 + (hash % 40)}` : null,
    ...city,
  };
}
