import type { EntityHistory, EntityKind, EntityState, Fields } from './history.ts';
import type { Random } from './random.ts';
import { createShownGroups, type ShownGroups } from './shown-groups.ts';

/** A store of return groups that keeps every version of each, to serve and judge the past. */
export interface OutsideStore {
  /** Makes one random change. */
  changeSomething(): void;
  /** Changes one group; the version becomes visible after its delay. */
  change(groupId: number, edit: (group: Group, now: number) => void, movesStamp: boolean): void;
  /** Removes the group. */
  remove(groupId: number): void;
  groupIds(): number[];
  latest(groupId: number): Group | undefined;
  /** The groups as answers show them; each view has its own time. */
  view(): ShownGroups<Group>;
  histories(): EntityHistory[];
  /** Every `updated_at` that a group had, as shown. */
  stampsOf(groupId: number): string[];
}

export interface StoreOptions {
  readonly groups: number;
  /** The lowest id of a group; two stores with the same one share ids. */
  readonly firstId: number;
  readonly random: Random;
  /** How an instant is written in rows. */
  readonly stamp: (time: number) => string;
  /** How long a change stays invisible after its stamp. */
  readonly drawDelayMs: () => number;
  /** How far the slowest replica is behind. */
  readonly staleMs: number;
  /** Whether `updated_at` moves if only a shipment changed. */
  readonly shipmentsMoveStamp: boolean;
  readonly kinds: readonly ChangeKind[];
  readonly strangeStatuses: boolean;
}

export type ChangeKind =
  | 'group'
  | 'parcel'
  | 'label'
  | 'item'
  | 'exchange'
  | 'refund'
  | 'removed-part'
  | 'removed-group';

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

interface Version {
  readonly changedAt: number;
  readonly shownFrom: number;
  readonly group: Group | undefined;
}

export const ALL_KINDS: readonly ChangeKind[] = ['group', 'parcel', 'label', 'item', 'exchange', 'refund'];

const DAY_MS = 86_400_000;

export function createOutsideStore(options: StoreOptions): OutsideStore {
  const { random } = options;
  const versions = new Map<number, Version[]>();
  const living: number[] = [];
  const views: ShownGroups<Group>[] = [];
  let nextId = options.firstId;

  const oldest = Date.now() - random.between(20, 40) * DAY_MS;
  const newest = Date.now() - 60_000;
  const born = Array.from({ length: options.groups }, () => random.between(oldest, newest)).sort(
    (one, other) => one - other,
  );
  for (const createdAt of born) {
    const group = newGroup(createdAt);
    const updatedAt = random.between(createdAt, Math.min(newest, createdAt + 5 * DAY_MS));
    for (const kind of ['label', 'parcel', 'parcel', 'exchange', 'refund'] as const) {
      if (random.chance(0.5)) EDITS[kind](group, random, updatedAt, false);
    }
    group.updatedAt = updatedAt;
    versions.set(group.id, [{ changedAt: 0, shownFrom: 0, group }]);
    living.push(group.id);
  }

  function newGroup(createdAt: number): Group {
    const id = nextId++;
    const items = Array.from({ length: random.between(1, 3) }, (_, index) =>
      newItem(id * 10 + index, createdAt),
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
    const exchanges = random.chance(0.4) ? [newExchange(id)] : [];
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

  function newItem(id: number, createdAt: number): Item {
    return {
      id,
      status: random.pick(['IN_REVIEW', 'OPEN']),
      quantity: random.between(1, 4),
      shipmentId: null,
      refundIds: [],
      rma: null,
      rmaProvider: null,
      createdAt,
      total: random.between(100, 99_999) / 100,
    };
  }

  function newExchange(groupId: number): Exchange {
    return {
      id: `ex-${groupId}`,
      status: 'UNPROCESSED',
      platformId: null,
      variant: `variant-${random.between(1, 99)}`,
      quantity: 1,
      total: random.between(100, 99_999) / 100,
    };
  }

  function append(id: number, group: Group | undefined, now: number): void {
    const kept = versions.get(id) ?? [];
    const shownFrom = Math.max(kept.at(-1)?.shownFrom ?? 0, now + options.drawDelayMs());
    versions.set(id, [...kept, { changedAt: now, shownFrom, group }]);
    for (const view of views) view.add(id, shownFrom, group);
    if (kept.length === 0) living.push(id);
    if (!group) living.splice(living.indexOf(id), 1);
  }

  const store: OutsideStore = {
    change(id, edit, movesStamp) {
      const now = Date.now();
      const group = structuredClone(store.latest(id));
      if (!group) return;
      edit(group, now);
      if (movesStamp) group.updatedAt = Math.max(group.updatedAt + 1, now);
      append(id, group, now);
    },
    remove: (id) => append(id, undefined, Date.now()),
    groupIds: () => [...living],
    latest: (id) => versions.get(id)?.at(-1)?.group,
    view() {
      const view = createShownGroups<Group>();
      for (const [id, kept] of versions) {
        for (const { shownFrom, group } of kept) view.add(id, shownFrom, group);
      }
      views.push(view);
      return view;
    },
    changeSomething() {
      const kind = random.pick(options.kinds);
      if (kind === 'group') {
        const now = Date.now();
        const group = newGroup(now);
        append(group.id, group, now);
        return;
      }
      const id = random.pick(living);
      if (kind === 'removed-group') return store.remove(id);
      const movesStamp = options.shipmentsMoveStamp || (kind !== 'parcel' && kind !== 'label');
      store.change(id, (group, now) => EDITS[kind](group, random, now, options.strangeStatuses), movesStamp);
    },
    histories() {
      return [...versions.entries()].flatMap(([id, kept]) => historiesOf(id, kept, options));
    },
    stampsOf(id) {
      return (versions.get(id) ?? []).flatMap(({ group }) => (group ? [options.stamp(group.updatedAt)] : []));
    },
  };
  return store;
}

type Edit = (group: Group, random: Random, now: number, strange: boolean) => void;

const EDITS: Record<Exclude<ChangeKind, 'group' | 'removed-group'>, Edit> = {
  parcel(group, random, now, strange) {
    const shipment = group.shipments[0];
    if (!shipment) return;
    if (shipment.shippedAt === null) {
      shipment.status = 'IN_TRANSIT';
      shipment.shippedAt = now;
    } else if (shipment.deliveredAt === null) {
      shipment.status = 'DELIVERED';
      shipment.deliveredAt = now;
    } else {
      shipment.status = random.pick(
        strange ? ['RETURNED_TO_SENDER', 'LOST?'] : ['FAILED', 'UNKNOWN', 'DELIVERED'],
      );
    }
  },
  label(group, random) {
    const shipment = group.shipments[0];
    if (!shipment) return;
    shipment.carrier = random.pick(['UPS', 'DHL', 'FedEx', 'GLS']);
    shipment.tracking = `T${random.between(100_000, 999_999)}`;
  },
  item(group, random, _now, strange) {
    const item = group.items[0];
    if (!item) return;
    const statuses = ['OPEN', 'COMPLETED', 'CANCELED', ...(strange ? ['ON_HOLD'] : [])];
    if (random.chance(0.5)) item.status = random.pick(statuses);
    else item.quantity = random.between(1, 9);
  },
  exchange(group, random) {
    const exchange = group.exchanges[0];
    if (!exchange) return void group.exchanges.push(...newExchangeOf(group, random));
    if (exchange.status === 'UNPROCESSED') {
      exchange.status = 'PROCESSED';
      exchange.platformId = `line-${exchange.id}`;
    } else {
      exchange.variant = `variant-${random.between(1, 99)}`;
    }
  },
  refund(group, random) {
    const refund = {
      id: `refund/${group.id}-${group.refunds.length + 1}`,
      amount: random.between(100, 9_999) / 100,
    };
    group.refunds.push(refund);
    for (const item of group.items) item.refundIds.push(refund.id);
    group.outcome = random.pick(['refund', 'credit']);
    group.credit = group.outcome === 'credit' ? 'STORE_CREDIT' : 'ORIGINAL_PAYMENT_METHOD';
  },
  'removed-part'(group, random) {
    if (group.items.length > 1 && random.chance(0.5)) {
      const gone = group.items.pop();
      for (const shipment of group.shipments)
        shipment.itemIds = shipment.itemIds.filter((id) => id !== gone?.id);
    } else {
      group.exchanges.pop();
    }
  },
};

function newExchangeOf(group: Group, random: Random): Exchange[] {
  const variant = `variant-${random.between(1, 99)}`;
  return [
    { id: `ex-${group.id}`, status: 'UNPROCESSED', platformId: null, variant, quantity: 1, total: 12.5 },
  ];
}

/** A row as the document describes it, complete and with every null written out. */
export function renderGroup(group: Group, stamp: (time: number) => string): Fields {
  return {
    type: 'return_group',
    id: group.id,
    return_method: group.method,
    credit_method: group.credit,
    created_at: stamp(group.createdAt),
    updated_at: stamp(group.updatedAt),
    return_outcome: group.outcome,
    order: {
      type: 'order',
      id: group.id + 5_000_000,
      platform_id: `order/${group.id}`,
      name: `#${group.id}`,
      tags: [],
      created_at: stamp(group.createdAt - DAY_MS),
      taxes_included: true,
    },
    customer: { type: 'customer', name: 'Ann Example', email: 'ann@example.com', phone: null },
    shipments: group.shipments.map((shipment) => ({
      type: 'shipment',
      id: shipment.id,
      status: shipment.status,
      carrier: shipment.carrier,
      tracking_number: shipment.tracking,
      created_at: stamp(shipment.createdAt),
      shipped_at: shipment.shippedAt === null ? null : stamp(shipment.shippedAt),
      delivered_at: shipment.deliveredAt === null ? null : stamp(shipment.deliveredAt),
      return_group_id: group.id,
      return_ids: shipment.itemIds,
    })),
    returns: group.items.map((item) => renderItem(item, stamp)),
    exchange_line_items: group.exchanges.map((exchange) => ({
      type: 'exchange_line_item',
      id: exchange.id,
      line_item_platform_id: exchange.platformId,
      product_platform_id: 'product/1',
      product_name: 'Coat',
      variant_platform_id: exchange.variant,
      variant_name: 'Green',
      sku: null,
      status: exchange.status,
      quantity: exchange.quantity,
      ...prices(exchange.total),
    })),
    refund_transactions: group.refunds.map((refund) => ({
      type: 'refund_transaction',
      platform_id: refund.id,
      amount: money(refund.amount),
      gateway: 'cards',
    })),
    suggested_refund: {
      type: 'suggested_refund',
      ...Object.fromEntries(
        [
          'refund_total',
          'return_total',
          'return_tax_total',
          'exchange_total',
          'exchange_tax_total',
          'handling_fee',
          'shipping_fee',
          'store_credit_incentive',
        ].map((name) => [name, money(0)]),
      ),
    },
  };
}

function renderItem(item: Item, stamp: (time: number) => string): Fields {
  return {
    type: 'return_line_item',
    id: item.id,
    platform_id: `return/${item.id}`,
    created_at: stamp(item.createdAt),
    status: item.status,
    shipment_id: item.shipmentId,
    platform_refund_transaction_ids: item.refundIds,
    platform_line_item_id: `line/${item.id}`,
    product_platform_id: 'product/2',
    product_name: 'Shirt',
    variant_platform_id: 'variant/2',
    variant_name: 'Blue',
    sku: `S-${item.id}`,
    barcode: null,
    quantity: item.quantity,
    return_reason: 'size',
    return_note: null,
    return_reason_details: {
      type: 'return_reason',
      value: 'size',
      label: 'Size',
      path: ['size'],
      path_labels: ['Size'],
      note: null,
    },
    questions_answers: [],
    ...prices(item.total),
    last_rma_number: item.rma,
    last_rma_provider: item.rmaProvider,
  };
}

function prices(total: number): Fields {
  return {
    subtotal: money(total),
    discounted_subtotal: money(total),
    discount_total: money(0),
    tax_total: money(0),
    tax_percentage: 0,
    total: money(total),
  };
}

function money(amount: number): Fields {
  const value = { amount, currency_code: 'EUR' };
  return { shop_money: value, presentment_money: value };
}

const PARTS: readonly [string, EntityKind, string, string][] = [
  ['returns', 'return_line_item', 'return-line-items', 'id'],
  ['shipments', 'shipment', 'shipments', 'id'],
  ['exchange_line_items', 'exchange_line_item', 'exchange-line-items', 'id'],
  ['refund_transactions', 'refund_transaction', 'refund-transactions', 'platform_id'],
];

function historiesOf(groupId: number, kept: readonly Version[], options: StoreOptions): EntityHistory[] {
  const found = new Map<string, { kind: EntityKind; states: EntityState[] }>();

  for (const { changedAt, shownFrom, group } of kept) {
    const present = new Map<string, { kind: EntityKind; fields: Fields }>();
    const row = group && renderGroup(group, options.stamp);
    if (row) {
      const { updated_at: _, ...fields } = row;
      present.set(`return-groups/${groupId}`, { kind: 'return_group', fields });
      for (const [list, kind, path, key] of PARTS) {
        for (const part of row[list] as Fields[]) {
          const subject = `return-groups/${groupId}/${path}/${encodeURIComponent(String(part[key]))}`;
          present.set(subject, { kind, fields: part });
        }
      }
    }
    for (const [subject, { kind, fields }] of present) {
      const history = found.get(subject) ?? { kind, states: [] };
      found.set(subject, history);
      if (JSON.stringify(history.states.at(-1)?.fields) === JSON.stringify(fields)) continue;
      history.states.push({ changedAt, shownFrom, shownByAll: shownFrom + options.staleMs, fields });
    }
    for (const [subject, { states }] of found) {
      if (present.has(subject) || states.at(-1)?.fields === undefined) continue;
      states.push({ changedAt, shownFrom, shownByAll: shownFrom + options.staleMs, fields: undefined });
    }
  }

  return [...found].map(([subject, { kind, states }]) => ({ subject, kind, groupId, states }));
}
