import type { EntityKind, Fields } from './history.ts';

/** The parts of an event that a subscriber relies on, parsed from its line. */
export interface OutsideEvent {
  readonly id: string;
  readonly type: string;
  readonly kind: EntityKind;
  readonly verb: Verb;
  readonly subject: string;
  readonly time: number;
  readonly groupId: number;
  readonly sequence: number;
  readonly group: Fields;
  readonly object: Fields;
  readonly previous: Fields | undefined;
  /** Of a shipment's event. */
  readonly items?: readonly Fields[];
  readonly itemsTotal?: number;
  /** Of an item's event. */
  readonly shipment?: Fields | null;
  readonly after: number | undefined;
  readonly by: number;
}

export type Verb = 'created' | 'status_changed' | 'updated' | 'removed';

/** The fields whose change makes an event, as `docs/events/catalogue.md` lists them. */
export const WATCHED: Readonly<Record<EntityKind, readonly string[]>> = {
  return_line_item: [
    'status',
    'quantity',
    'shipment_id',
    'platform_refund_transaction_ids',
    'last_rma_number',
    'last_rma_provider',
  ],
  shipment: ['status', 'carrier', 'tracking_number', 'shipped_at', 'delivered_at', 'return_ids'],
  exchange_line_item: ['status', 'quantity', 'line_item_platform_id', 'variant_platform_id'],
  refund_transaction: [],
  return_group: ['return_outcome', 'credit_method', 'return_method'],
};

const PATHS: Readonly<Record<EntityKind, (object: Fields) => string>> = {
  return_line_item: ({ id }) => `/return-line-items/${id}`,
  shipment: ({ id }) => `/shipments/${id}`,
  exchange_line_item: ({ id }) => `/exchange-line-items/${encodeURIComponent(String(id))}`,
  refund_transaction: ({ platform_id }) => `/refund-transactions/${encodeURIComponent(String(platform_id))}`,
  return_group: () => '',
};

/** Returns the event, or a description of the error in the line. */
export function readEvent(line: string): OutsideEvent | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'the line is not JSON';
  }
  if (!isFields(parsed)) return 'the line is not an object';
  const event = parsed;
  const { data } = event;
  if (!isFields(data)) return '`data` is not an object';
  const { object, observed, return_group: group, previous_attributes: previous } = data;
  if (!isFields(object) || !isFields(observed) || !isFields(group)) return '`data` lacks a part';
  const [kind, verb] = String(event.type).split('.') as [EntityKind, Verb];
  const watched = WATCHED[kind];
  if (!watched || !VERBS[kind].includes(verb)) return `the type ${event.type} is unknown`;

  const sequence = Number(data.sequence);
  const problems = [
    [event.specversion === '1.0', 'specversion'],
    [typeof event.id === 'string' && event.id.length > 0 && event.id.length <= 80, 'id'],
    [event.source === '/sources/acceptance', 'source'],
    [event.datacontenttype === 'application/json', 'datacontenttype'],
    [event.dataschema === `urn:returns-change-feed:${kind}:1`, 'dataschema'],
    [Number.isInteger(sequence) && sequence > 0, 'data.sequence'],
    [event.sequence === String(sequence).padStart(10, '0'), 'sequence'],
    [event.id === `acceptance_${data.generation}_${group.id}_${sequence}`, 'id against its parts'],
    [event.partitionkey === `acceptance/${group.id}`, 'partitionkey'],
    [object.type === kind, 'object.type'],
    [event.subject === `return-groups/${group.id}${PATHS[kind](object)}`, 'subject'],
    [isInstant(event.time), 'time'],
    [observed.after === null || isInstant(observed.after), 'observed.after'],
    [isInstant(observed.by), 'observed.by'],
    [observed.after !== null || verb === 'created', 'observed.after, which is null for a known entity'],
    [['poll', 'reconciliation', 'baseline'].includes(String(observed.through)), 'observed.through'],
    [(verb === 'status_changed' || verb === 'updated') === isFields(previous), 'previous_attributes'],
    [!isFields(previous) || Object.keys(previous).length > 0, 'previous_attributes, which is empty'],
    [
      !isFields(previous) || Object.keys(previous).every((name) => watched.includes(name)),
      'previous_attributes, with a field that is not watched',
    ],
    [
      !isFields(previous) ||
        (Array.isArray(data.changed) &&
          JSON.stringify([...data.changed].sort()) === JSON.stringify(Object.keys(previous).sort())),
      'changed, which names other fields than previous_attributes',
    ],
    [isFields(previous) || !('changed' in data), 'changed, without previous_attributes'],
    [(kind === 'shipment') === Array.isArray(data.items), 'items'],
    [(kind === 'shipment') === Number.isInteger(data.items_total), 'items_total'],
    [(kind === 'return_line_item') === 'shipment' in data, 'shipment'],
    [verb !== 'status_changed' || (isFields(previous) && 'status' in previous), 'previous_attributes.status'],
    [
      verb !== 'updated' || (isFields(previous) && !('status' in previous)),
      'type, though its status changed',
    ],
  ] as const;
  const wrong = problems.flatMap(([holds, name]) => (holds ? [] : [name]));
  if (wrong.length > 0) return `${event.id}: wrong ${wrong.join(', ')}`;

  return {
    id: String(event.id),
    type: String(event.type),
    kind,
    verb,
    subject: String(event.subject),
    time: Date.parse(String(event.time)),
    groupId: Number(group.id),
    sequence,
    group,
    object,
    previous: isFields(previous) ? previous : undefined,
    ...(kind === 'shipment' && { items: data.items as Fields[], itemsTotal: Number(data.items_total) }),
    ...(kind === 'return_line_item' && { shipment: data.shipment as Fields | null }),
    after: observed.after === null ? undefined : Date.parse(String(observed.after)),
    by: Date.parse(String(observed.by)),
  };
}

const VERBS: Readonly<Record<EntityKind, readonly Verb[]>> = {
  return_line_item: ['created', 'status_changed', 'updated', 'removed'],
  shipment: ['created', 'status_changed', 'updated', 'removed'],
  exchange_line_item: ['created', 'status_changed', 'updated', 'removed'],
  refund_transaction: ['created'],
  return_group: ['created', 'updated', 'removed'],
};

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isInstant(value: unknown): boolean {
  return (
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
  );
}
