// The watched state of each entity over time, from the store's documents, and the state in an event. The fields are listed
// again here, so that the judge does not share an omission of the feed.
import type { EntityEvent, EventOf } from '../../../shared/contract/event.ts';
import type { GroupDocument, Happening, Time } from './evidence.ts';
import { type Showing, showingsOf } from './showing.ts';

export const WATCHED = {
  return_group: ['return_outcome', 'credit_method', 'return_method'],
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
} as const;

export type Kind = keyof typeof WATCHED;

const ARRAYS = {
  returns: 'return_line_item',
  shipments: 'shipment',
  exchange_line_items: 'exchange_line_item',
} as const satisfies Record<string, Kind>;

/** The watched fields as one text; equal texts are equal states. */
export type State = string;

export interface Period {
  readonly from: Time;
  /** Undefined if it did not exist. */
  readonly state: State | undefined;
}

/** `<kind>/<id>`. */
export type EntityName = string;

export type EntityHistory = readonly Period[];

type Fields = Readonly<Record<string, unknown>>;

/** Absent, null and, for a list, empty are equal; a list's order does not matter. */
export function fieldValue(fields: Fields, field: string): unknown {
  const value = fields[field] ?? (LISTS.has(field) ? [] : null);
  // In whole seconds: a service that begins to write more digits, or fewer, changes nothing.
  if (typeof value === 'string' && STAMPS.has(field)) return instantOf(value).split('.')[0];
  return Array.isArray(value) ? [...value].map(String).sort() : value;
}

const STAMPS = new Set(['shipped_at', 'delivered_at']);

/** The same text for the same instant, in any zone. */
function instantOf(stamp: string): string {
  const [, seconds, fraction = '', zone = 'Z'] = STAMP.exec(stamp) ?? [];
  if (seconds === undefined) return stamp;
  return `${Date.parse(seconds + zone) / 1_000}.${fraction.replace(/0+$/, '')}`;
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;

const LISTS = new Set(['platform_refund_transaction_ids', 'return_ids']);

export function stateOf(kind: Kind, fields: Fields): State {
  return JSON.stringify(WATCHED[kind].map((field) => fieldValue(fields, field)));
}

const known = new WeakMap<GroupDocument, ReadonlyMap<EntityName, State>>();

/** All entities of a group, including the group. */
export function entitiesOf(document: GroupDocument): ReadonlyMap<EntityName, State> {
  const entities = known.get(document) ?? readEntities(document);
  known.set(document, entities);
  return entities;
}

function readEntities(document: GroupDocument): Map<EntityName, State> {
  const entities = new Map([[`return_group/${document.id}`, stateOf('return_group', document)]]);
  for (const [array, kind] of Object.entries(ARRAYS)) {
    const list = (document[array] ?? []) as readonly Fields[];
    for (const fields of list) entities.set(`${kind}/${String(fields.id)}`, stateOf(kind, fields));
  }
  return entities;
}

export interface GroupHistory {
  readonly entities: ReadonlyMap<EntityName, EntityHistory>;
  /** Every header that it showed: stamp, outcome and method as one text. */
  readonly headers: ReadonlySet<string>;
  readonly documents: readonly Happening[];
  /** When each of its documents could be read. */
  readonly showings: readonly Showing[];
}

/** The history of each entity of a group, from its documents in order of time. */
export function historyOf(documents: readonly Happening[], staleFor: number): GroupHistory {
  const entities = new Map<EntityName, Period[]>();
  const headers = new Set<string>();
  for (const { at, document } of documents) {
    const present = document === undefined ? new Map<EntityName, State>() : entitiesOf(document);
    if (document !== undefined) headers.add(headerOf(document));
    for (const [name, state] of present) {
      const periods = entities.get(name) ?? [];
      entities.set(name, periods);
      if (periods.at(-1)?.state !== state) periods.push({ from: at, state });
    }
    for (const [name, periods] of entities) {
      if (!present.has(name) && periods.at(-1)?.state !== undefined)
        periods.push({ from: at, state: undefined });
    }
  }
  return { entities, headers, documents, showings: showingsOf(documents, staleFor) };
}

export function headerOf(group: Fields): string {
  const stamp = typeof group.updated_at === 'string' ? instantOf(group.updated_at) : group.updated_at;
  return JSON.stringify([stamp, group.return_outcome ?? null, group.return_method ?? null]);
}

export function stateNames(document: GroupDocument): Iterable<EntityName> {
  return entitiesOf(document).keys();
}

/** A published change of an entity: an event and its parts. */
export interface PublishedChange {
  readonly event: EntityEvent;
  readonly kind: Kind | 'refund_transaction';
  /** The verb of the event's type; `forgotten`, without an event, for an entity that an operator forgot. */
  readonly verb: string;
  readonly name: EntityName;
  readonly state: State;
}

export function publishedChangeOf(event: EntityEvent): PublishedChange {
  const [kind = '', verb = ''] = event.type.split('.') as [Kind | 'refund_transaction', string];
  const object = event.data.object as unknown as Fields;
  const state = kind === 'refund_transaction' ? '' : stateOf(kind as Kind, object);
  return { event, kind: kind as PublishedChange['kind'], verb, name: `${kind}/${String(object.id)}`, state };
}

/** Returns whether the entity is gone after this, so that its next event is `created`. */
export function isGone({ verb }: PublishedChange): boolean {
  return verb === 'removed' || verb === 'forgotten';
}

export function isEntityEvent(event: { readonly type: string }): event is EntityEvent {
  return !event.type.startsWith('feed.') && !isForgottenEvent(event);
}

/** Returns whether the event reports that an operator has forgotten its group. */
export function isForgottenEvent(event: {
  readonly type: string;
}): event is EventOf<'return_group.forgotten'> {
  return event.type === 'return_group.forgotten';
}
