// A true stream of events with the histories that it comes from, and the ways to make it false.
import type { Evidence } from './evidence.ts';
import type { EntityHistory, EntityState, Fields, PrintedEvent } from './history.ts';

export interface MutableEvent {
  arrivedAt: number;
  id: string;
  type: string;
  subject: string;
  time: string;
  sequence: string;
  partitionkey: string;
  data: {
    sequence: number;
    return_group: Record<string, unknown>;
    object: Record<string, unknown>;
    items?: Record<string, unknown>[];
    items_total?: number;
    shipment?: Record<string, unknown> | null;
    changed?: string[];
    previous_attributes?: Record<string, unknown>;
    observed: { after: string | null; by: string; through: string };
  };
}

const GROUP = {
  type: 'return_group',
  id: 7,
  created_at: iso(1_000),
  return_outcome: null,
  credit_method: null,
  return_method: 'SELF_SHIP',
};
const ITEM = {
  type: 'return_line_item',
  id: 71,
  created_at: iso(1_000),
  status: 'OPEN',
  quantity: 1,
  shipment_id: 77,
  platform_refund_transaction_ids: [],
  last_rma_number: null,
  last_rma_provider: null,
  total: money(12.5),
};
const PARCEL = {
  type: 'shipment',
  id: 77,
  created_at: iso(20_000),
  status: 'CREATED',
  carrier: 'UPS',
  tracking_number: 'T1',
  shipped_at: null,
  delivered_at: null,
  return_ids: [71],
};
const ON_ITS_WAY = { ...PARCEL, status: 'IN_TRANSIT', shipped_at: iso(40_000) };
const DELIVERED = { ...ON_ITS_WAY, status: 'DELIVERED', delivered_at: iso(60_000) };

const ITEM_ON_IT = { id: 71, status: 'OPEN', quantity: 1, sku: null };

/** A group and its item exist from the start; its parcel is created, travels, arrives and is removed. */
export function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    histories: [
      history('return-groups/7', 'return_group', [[0, GROUP]]),
      history('return-groups/7/return-line-items/71', 'return_line_item', [[0, ITEM]]),
      history('return-groups/7/shipments/77', 'shipment', [
        [20_000, PARCEL],
        [40_000, ON_ITS_WAY],
        [60_000, DELIVERED],
        [80_000, undefined],
      ]),
    ],
    stampsOf: () => [iso(1_000), iso(20_000), iso(40_000), iso(60_000)],
    printed: events().map(print),
    requestedAt: [],
    budget: 240,
    settleMs: 3_000,
    lookbackMs: 10_000,
    silentUntil: undefined,
    ...changes,
  };
}

export function events(): MutableEvent[] {
  const shipment = 'return-groups/7/shipments/77';
  return [
    event(1, 'return_group.created', 'return-groups/7', GROUP, 1_000, [null, 5_000]),
    event(2, 'return_line_item.created', 'return-groups/7/return-line-items/71', ITEM, 1_000, [null, 5_000]),
    event(3, 'shipment.created', shipment, PARCEL, 20_000, [19_000, 21_500]),
    event(4, 'shipment.status_changed', shipment, ON_ITS_WAY, 40_000, [39_000, 41_500], {
      status: 'CREATED',
      shipped_at: null,
    }),
    event(5, 'shipment.status_changed', shipment, DELIVERED, 60_000, [59_000, 61_500], {
      status: 'IN_TRANSIT',
      delivered_at: null,
    }),
    event(6, 'shipment.removed', shipment, DELIVERED, 85_000, [79_000, 85_000]),
  ];
}

function event(
  sequence: number,
  type: string,
  subject: string,
  object: Fields,
  time: number,
  [after, by]: [number | null, number],
  previous?: Record<string, unknown>,
): MutableEvent {
  return {
    arrivedAt: by + 200,
    id: `acceptance_g1_7_${sequence}`,
    type,
    subject,
    time: iso(time),
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: 'acceptance/7',
    data: {
      sequence,
      return_group: { id: 7, updated_at: iso(Math.min(time, 60_000)) },
      object: { ...object },
      ...(type.startsWith('shipment.') && { items: [{ ...ITEM_ON_IT }], items_total: 1 }),
      ...(type.startsWith('return_line_item.') && { shipment: null }),
      ...(previous && { changed: Object.keys(previous), previous_attributes: previous }),
      observed: { after: after === null ? null : iso(after), by: iso(by), through: 'poll' },
    },
  };
}

export function print({ arrivedAt, ...event }: MutableEvent): PrintedEvent {
  const kind = event.type.split('.')[0];
  const line = JSON.stringify({
    ...event,
    specversion: '1.0',
    source: '/sources/acceptance',
    datacontenttype: 'application/json',
    dataschema: `urn:returns-change-feed:${kind}:1`,
    data: { generation: 'g1', ...event.data },
  });
  return { arrivedAt, line };
}

export function changed(index: number, change: (event: MutableEvent) => unknown, arrivedAt?: number) {
  return (events: MutableEvent[]) => {
    const event = events[index]!;
    change(event);
    event.arrivedAt = arrivedAt ?? event.arrivedAt;
    return events;
  };
}

export function renumbered(events: MutableEvent[]): MutableEvent[] {
  return events.map((event, index) => {
    const sequence = index + 1;
    const id = `acceptance_g1_7_${sequence}`;
    return { ...event, id, sequence: String(sequence).padStart(10, '0'), data: { ...event.data, sequence } };
  });
}

export function withStatus(event: MutableEvent, status: string): MutableEvent {
  return { ...event, data: { ...event.data, object: { ...event.data.object, status } } };
}

export function withPrevious({ data }: MutableEvent, previous: Record<string, unknown>): void {
  Object.assign(data, { previous_attributes: previous, changed: Object.keys(previous) });
}

export function rename(event: MutableEvent, id: number): void {
  event.data.object.id = id;
  event.subject = `return-groups/7/shipments/${id}`;
}

export function removalOfTheItem(events: readonly MutableEvent[]): MutableEvent {
  const { subject, data } = events[1]!;
  return event(7, 'return_line_item.removed', subject, data.object, 90_000, [80_000, 90_000]);
}

function history(
  subject: string,
  kind: EntityHistory['kind'],
  states: [number, Fields | undefined][],
): EntityHistory {
  const shown = states.map<EntityState>(([shownFrom, fields]) => ({
    shownFrom,
    changedAt: shownFrom,
    shownByAll: shownFrom,
    fields,
  }));
  return { subject, kind, groupId: 7, states: shown };
}

export function withoutRemoval(history: EntityHistory): EntityHistory {
  return { ...history, states: history.states.filter(({ fields }) => fields) };
}

export function money(amount: number): Fields {
  return { shop_money: { amount, currency_code: 'EUR' } };
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}
