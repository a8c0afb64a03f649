// Makes a return as a customer creates it. The result depends only on seed, row and time.

import { DAY, HOUR, type Instant } from '../../../shared/instant.ts';
import {
  CITIES,
  FIRST_NAMES,
  LAST_NAMES,
  ORDER_SOURCES,
  ORDER_TAGS,
  PARTNER_METHODS,
  STREETS,
  WAREHOUSE,
} from './catalogue.ts';
import { groupIdOf, orderOf, personOf, shipmentId } from './identities.ts';
import { type ItemContext, newExchange, newLineItem, suggestedRefund } from './items.ts';
import { createRandom, mix } from './seeded-random.ts';
import type { StoredGroup, StoredLineItem, StoredShipment } from './stored-group.ts';

const FIRST_ORDER_ID = 5_000_001;
const FIRST_ORDER_NUMBER = 1_001;

/** @param orderedBy when the first return of this group's order was created; the order is older */
export function newGroup(row: number, seed: number, at: Instant, orderedBy: Instant): StoredGroup {
  const id = groupIdOf(row);
  const random = createRandom(mix(seed, row, 6));
  const presentment = random.chance(0.15) ? 'EUR' : 'USD';
  const context: ItemContext = { groupId: id, createdAt: at, presentment, random };
  const count = 1 + Math.floor(3.2 * random.fraction() ** 2.2);
  const isDropOff = random.chance(0.08);
  const parcels = isDropOff ? 0 : count > 1 && random.chance(0.3) ? 2 : 1;
  const exchanges = random.chance(0.25) ? (random.chance(0.16) ? 2 : 1) : 0;
  const status = random.chance(0.4) ? 'IN_REVIEW' : 'OPEN';
  const returns = Array.from({ length: count }, (_, place) =>
    newLineItem(place, status, parcels === 0 ? null : shipmentId(id, place % parcels), context),
  );
  const items = {
    returns,
    exchange_line_items: Array.from({ length: exchanges }, (_, place) => newExchange(place, context)),
  };
  const sent = random.chance(0.15) ? random.pick(PARTNER_METHODS) : random.pick(['TRADITIONAL', 'SELF_SHIP']);
  return {
    type: 'return_group',
    id,
    return_method: isDropOff ? 'STORE_DROP_OFF' : sent,
    credit_method: null,
    ...{ created_at: at, updated_at: at },
    return_outcome: null,
    order: orderAt(row, seed, orderedBy),
    customer: customerOf(personOf(row), seed),
    shipments: Array.from({ length: parcels }, (_, place) =>
      newShipment(id, place, at, returns, homeOf(personOf(row), seed)),
    ),
    ...items,
    refund_transactions: [],
    suggested_refund: suggestedRefund(items, presentment),
  };
}

/** A shipment with those of the items that are on it. */
export function newShipment(
  groupId: number,
  place: number,
  at: Instant,
  items: readonly StoredLineItem[],
  from: StoredShipment['origin_address'],
): StoredShipment {
  const id = shipmentId(groupId, place);
  return {
    type: 'shipment',
    ...{ id, status: 'DRAFT', carrier: null, tracking_number: null, created_at: at },
    ...{ origin_address: from, destination_address: WAREHOUSE, shipped_at: null, delivered_at: null },
    return_group_id: groupId,
    return_ids: items.filter((item) => item.shipment_id === id).map((item) => item.id),
  };
}

function orderAt(row: number, seed: number, returnedAt: Instant): StoredGroup['order'] {
  const order = orderOf(row);
  const random = createRandom(mix(seed, order, 7));
  const createdAt = returnedAt - 9 * DAY - random.below(20 * 24) * HOUR;
  return {
    type: 'order',
    id: FIRST_ORDER_ID + order,
    platform_id: `gid://platform/Order/${order + 45_000_000}`,
    name: `#${FIRST_ORDER_NUMBER + order}`,
    tags: random.chance(0.25) ? [random.pick(ORDER_TAGS)] : [],
    created_at: createdAt,
    source_name: random.pick(ORDER_SOURCES),
    fulfilled_at: createdAt + 26 * HOUR,
    taxes_included: random.chance(0.2),
  };
}

function customerOf(person: number, seed: number): StoredGroup['customer'] {
  const random = createRandom(mix(seed, person, 8));
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  const email = `${first}.${last}.${person.toString(36)}@example.com`.toLowerCase();
  const phone = random.chance(0.3) ? null : `+1503555${String(random.below(10_000)).padStart(4, '0')}`;
  return { type: 'customer', name: `${first} ${last}`, email, phone };
}

function homeOf(person: number, seed: number): StoredShipment['origin_address'] {
  const random = createRandom(mix(seed, person, 9));
  return {
    address1: `${1 + random.below(180)} ${random.pick(STREETS)}`,
    address2: random.chance(0.2) ? `Apt ${1 + random.below(40)}` : null,
    ...random.pick(CITIES),
  };
}
