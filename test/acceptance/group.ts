// A return group as the outside service stores it.
import type { Random } from './random.ts';

export interface Group {
  readonly id: number;
  readonly createdAt: number;
  updatedAt: number;
  outcome: string | null;
  credit: string | null;
  readonly method: string;
  items: Item[];
  shipments: Shipment[];
  exchanges: Exchange[];
  refunds: Refund[];
}

export interface Item {
  readonly id: number;
  status: string;
  quantity: number;
  shipmentId: number | null;
  refundIds: string[];
  rma: string | null;
  rmaProvider: string | null;
  readonly createdAt: number;
  readonly total: number;
}

interface Shipment {
  readonly id: number;
  status: string;
  carrier: string | null;
  tracking: string | null;
  shippedAt: number | null;
  deliveredAt: number | null;
  readonly createdAt: number;
  itemIds: number[];
}

interface Exchange {
  readonly id: string;
  status: string;
  platformId: string | null;
  variant: string;
  quantity: number;
  readonly total: number;
}

interface Refund {
  readonly id: string;
  readonly amount: number;
}

export function newGroup(id: number, createdAt: number, random: Random): Group {
  const items = Array.from({ length: random.between(1, 3) }, (_, index) =>
    newItem(id * 10 + index, createdAt, random),
  );
  const shipment: Shipment = {
    id: id * 10 + 7,
    status: random.pick(['DRAFT', 'CREATED']),
    carrier: random.pick([null, 'UPS', 'DHL']),
    tracking: null,
    shippedAt: null,
    deliveredAt: null,
    createdAt,
    itemIds: items.map((item) => item.id),
  };
  for (const item of items) item.shipmentId = shipment.id;
  const exchanges = random.chance(0.4) ? [newExchange(id, drawVariant(random), drawPrice(random))] : [];
  return {
    id,
    createdAt,
    updatedAt: createdAt,
    outcome: null,
    credit: null,
    method: random.pick(['TRADITIONAL', 'SELF_SHIP', 'STORE_DROP_OFF']),
    items,
    shipments: [shipment],
    exchanges,
    refunds: [],
  };
}

function newItem(id: number, createdAt: number, random: Random): Item {
  return {
    id,
    status: random.pick(['IN_REVIEW', 'OPEN']),
    quantity: random.between(1, 4),
    shipmentId: null,
    refundIds: [],
    rma: null,
    rmaProvider: null,
    createdAt,
    total: drawPrice(random),
  };
}

export function newExchange(groupId: number, variant: string, total: number): Exchange {
  return { id: `ex-${groupId}`, status: 'UNPROCESSED', platformId: null, variant, quantity: 1, total };
}

export function drawVariant(random: Random): string {
  return `variant-${random.between(1, 99)}`;
}

function drawPrice(random: Random): number {
  return random.between(100, 99_999) / 100;
}
