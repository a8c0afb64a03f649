// The true history of one group, and the answers of a service that shows it late, in parts, in any order or spelling.
import { formatInstant, type Instant, SECOND } from '../../../shared/instant.ts';
import { FIRST_READ } from './a-reading.ts';

/** One change at the service; the numbers choose the entity and the value. */
export interface Happening {
  readonly what: keyof typeof HAPPENINGS;
  readonly which: number;
  readonly value: number;
  readonly movesStamp: boolean;
}

/** The permitted differences between an answer and the true state. */
export interface Showing {
  readonly leftOut: readonly ArrayName[];
  readonly isReversed: boolean;
  readonly hasOffsets: boolean;
  readonly hidesRefundIds: boolean;
  /** Whether null values are left out. */
  readonly isSparse: boolean;
}

export const ARRAY_NAMES = ['returns', 'shipments', 'exchange_line_items', 'refund_transactions'] as const;
export type ArrayName = (typeof ARRAY_NAMES)[number];

interface Entity {
  readonly id: number | string;
  readonly [field: string]: unknown;
}

export interface TrueGroup {
  readonly id: number;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly return_outcome: string | null;
  readonly order: { readonly name: string };
  readonly returns: readonly Entity[];
  readonly shipments: readonly Entity[];
  readonly exchange_line_items: readonly Entity[];
  readonly refund_transactions: readonly Entity[];
}

/** A state and its beginning; `group` is undefined while the group does not exist. */
export interface Version {
  readonly from: Instant;
  readonly group: TrueGroup | undefined;
  /** Whether the service sends all fields by then, including {@link LATE_FIELDS}. */
  readonly sendsAll: boolean;
}

/** Fields that the service begins to send after an upgrade. */
export const LATE_FIELDS: readonly string[] = ['return_outcome', 'quantity', 'delivered_at', 'return_ids'];

export const BEGINNING = FIRST_READ - 3600 * SECOND;

export function newGroup(at: Instant): TrueGroup {
  return {
    id: 7,
    created_at: at,
    updated_at: at,
    return_outcome: null,
    order: { name: '#1' },
    returns: [{ id: 1, status: 'OPEN', quantity: 1, product_name: 'Shirt' }],
    shipments: [{ id: 1, status: 'CREATED', delivered_at: null, return_ids: [1] }],
    exchange_line_items: [],
    refund_transactions: [],
  };
}

const SPARE = { returns: 'OPEN', shipments: 'CREATED', exchange_line_items: 'UNPROCESSED' } as const;
type WithStatus = keyof typeof SPARE;
const WITH_STATUS = Object.keys(SPARE) as WithStatus[];

type Change = (group: TrueGroup, which: number, value: number, at: Instant) => Partial<TrueGroup>;

export const HAPPENINGS = {
  status: (group, which, value) =>
    alter(group, which, (entity) => ({ ...entity, status: `STATUS_${value % 3}` })),
  quantity: (group, which, value) => ({
    returns: group.returns.map((item, at) => (at === which % 3 ? { ...item, quantity: value % 3 } : item)),
  }),
  delivery: (group, which, value, at) => ({
    shipments: group.shipments.map((shipment, index) =>
      index === which % 3 ? { ...shipment, delivered_at: value % 3 === 0 ? null : at } : shipment,
    ),
  }),
  contents: (group, which, value) => ({
    shipments: group.shipments.map((shipment, index) =>
      index === which % 3 ? { ...shipment, return_ids: [1, 2, 3].slice(value % 3) } : shipment,
    ),
  }),
  context: (group, which, value) => ({
    order: { name: `#${value}` },
    returns: group.returns.map((item, at) =>
      at === which % 3 ? { ...item, product_name: `Shirt ${value}` } : item,
    ),
  }),
  outcome: (_group, _which, value) => ({ return_outcome: value % 3 === 0 ? null : `outcome ${value % 3}` }),
  arrival: (group, which, value) => grow(group, which, value % 4, 1),
  rush: (group, which) => grow(group, which, 10, 100),
  departure: (group, which, value) => {
    const name = arrayOf(which);
    return { [name]: group[name].filter((_, at) => at % 3 !== value % 3) };
  },
  refund: (group, _which, value) => ({
    refund_transactions: [
      ...group.refund_transactions,
      { id: group.refund_transactions.length, amount: value % 2, isNamed: value % 3 > 0 },
    ],
  }),
  naming: (group, which) => ({
    refund_transactions: group.refund_transactions.map((refund, at) =>
      at === which % 3 ? { ...refund, isNamed: true } : refund,
    ),
  }),
  nothing: () => ({}),
} as const satisfies Record<string, Change>;

function arrayOf(which: number): WithStatus {
  return WITH_STATUS[which % WITH_STATUS.length] ?? 'shipments';
}

function alter(group: TrueGroup, which: number, change: (entity: Entity) => Entity): Partial<TrueGroup> {
  const name = arrayOf(which);
  return { [name]: group[name].map((entity, at) => (at === which % 2 ? change(entity) : entity)) };
}

/** Adds entities under the first free ids from a number on, so that removed entities may come back. */
function grow(group: TrueGroup, which: number, from: number, count: number): Partial<TrueGroup> {
  const name = arrayOf(which);
  const ids = new Set(group[name].map(({ id }) => id));
  const fresh = Array.from({ length: count }, (_, at) => from + at)
    .map((id) => (name === 'exchange_line_items' ? `e${id}` : id))
    .filter((id) => !ids.has(id));
  // A quantity is never null: one that came back with null would count as left out.
  const others = name === 'returns' ? { quantity: 1 } : {};
  return { [name]: [...group[name], ...fresh.map((id) => ({ id, status: SPARE[name], ...others }))] };
}

/** The group after a happening. */
export function happen(
  { what, which, value, movesStamp }: Happening,
  group: TrueGroup,
  at: Instant,
): TrueGroup {
  const change: Change = HAPPENINGS[what];
  return { ...group, ...change(group, which, value, at), ...(movesStamp ? { updated_at: at } : {}) };
}

/** The row in an answer. */
export function show(group: TrueGroup, sendsAll: boolean, showing: Showing): Record<string, unknown> {
  const spell = (at: Instant) =>
    showing.hasOffsets ? formatInstant(at + 2 * 3600 * SECOND).replace('Z', '+02:00') : formatInstant(at);
  const row = {
    ...group,
    created_at: spell(group.created_at),
    updated_at: spell(group.updated_at),
    shipments: group.shipments.map((shipment) => ({
      ...shipment,
      delivered_at: typeof shipment.delivered_at === 'number' ? spell(shipment.delivered_at) : null,
      ...(Array.isArray(shipment.return_ids)
        ? { return_ids: inOrder(shipment.return_ids, showing.isReversed) }
        : {}),
    })),
    refund_transactions: group.refund_transactions.map(({ id, amount, isNamed }) => ({
      platform_id: isNamed && !showing.hidesRefundIds ? `refund ${id}` : null,
      amount: { shop_money: { amount, currency_code: 'EUR' } },
    })),
  };
  const lists = ARRAY_NAMES.map((name) => [
    name,
    showing.leftOut.includes(name) ? undefined : inOrder<unknown>(row[name], showing.isReversed),
  ]);
  const shown = { ...row, ...Object.fromEntries(lists) };
  const isLeftOut = (name: string, value: unknown) =>
    (showing.isSparse && value === null) || (!sendsAll && LATE_FIELDS.includes(name));
  return JSON.parse(JSON.stringify(shown, (name, value) => (isLeftOut(name, value) ? undefined : value)));
}

function inOrder<Element>(list: readonly Element[], isReversed: boolean): readonly Element[] {
  return isReversed ? list.toReversed() : list;
}
