// G5: an event carries its entity and its group as the service showed them at that time, including the fields that
// make no events. The fields are listed again here, so that a field that the feed loses is noticed.
import type { Evidence, GroupDocument, SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { plainBag, plainId } from './plain-values.ts';
import type { Showing } from './showing.ts';
import { timeOf } from './stamps.ts';
import { fieldValue, type GroupHistory, type PublishedChange } from './states.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields by kind, without `type`. */
const CARRIED: Readonly<Record<PublishedChange['kind'], readonly string[]>> = {
  return_group: [
    'id',
    'created_at',
    'updated_at',
    'return_outcome',
    'credit_method',
    'return_method',
    'order',
  ],
  return_line_item: [
    'id',
    'platform_id',
    'created_at',
    'status',
    'shipment_id',
    'platform_refund_transaction_ids',
    'platform_line_item_id',
    'product_platform_id',
    'product_name',
    'variant_platform_id',
    'variant_name',
    'sku',
    'barcode',
    'quantity',
    'return_reason_details',
    'total',
    'last_rma_number',
    'last_rma_provider',
  ],
  shipment: [
    'id',
    'status',
    'carrier',
    'tracking_number',
    'created_at',
    'shipped_at',
    'delivered_at',
    'return_ids',
  ],
  exchange_line_item: [
    'id',
    'status',
    'line_item_platform_id',
    'product_platform_id',
    'product_name',
    'variant_platform_id',
    'variant_name',
    'sku',
    'quantity',
    'total',
  ],
  refund_transaction: ['platform_id', 'amount', 'gateway'],
};

const HEADER = ['id', 'created_at', 'updated_at', 'return_outcome', 'return_method', 'order'];

const ARRAYS = {
  return_line_item: 'returns',
  shipment: 'shipments',
  exchange_line_item: 'exchange_line_items',
  refund_transaction: 'refund_transactions',
} as const;

export function checkAsShown(
  { timing }: Evidence,
  { source, customerData, hasAdopted }: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const violations: Violation[] = [];
  for (const { groupId, changes } of published.values()) {
    const showings = histories.get(groupId)?.showings ?? [];
    for (const change of changes) {
      const by = timeOf(change.event.data.observed.by) ?? Number.NaN;
      const shown = showings.filter(({ from }) => from <= by + timing.clocksOff);
      const read = shown.filter(({ to }) => to > by - timing.slowestAnswer);
      for (const message of judge(change, shown, read, { customerData, hasAdopted })) {
        const place = `${change.name} of group ${groupId}, number ${change.event.data.sequence}`;
        violations.push({ guarantee: 'G5', source, place, message });
      }
    }
  }
  return violations;
}

/**
 * @param shown every state shown by then, for removals
 * @param read the states that may have been shown at that moment
 */
function* judge(
  change: PublishedChange,
  shown: readonly Showing[],
  read: readonly Showing[],
  { customerData, hasAdopted }: Pick<SourceEvidence, 'customerData' | 'hasAdopted'>,
): Generator<string> {
  const { event, kind, verb } = change;
  const object = event.data.object as unknown as Fields;
  const header = event.data.return_group as unknown as Fields;
  if (object.type !== kind) yield `carries a ${String(object.type)}`;
  yield* surplus('its object', object, [...CARRIED[kind], 'type']);
  yield* surplus('its group', header, HEADER);

  const isRemoved = verb === 'removed';
  const isGroupRemoved = isRemoved && kind === 'return_group';
  const objectText = textOf(object, CARRIED[kind]);
  const carriesObject = ({ document }: Showing) =>
    document !== undefined &&
    entitiesIn(document, kind).some((each) => textOf(each, CARRIED[kind]) === objectText);
  const headerText = textOf(header, HEADER);
  const carriesHeader = ({ document }: Showing) =>
    document !== undefined && textOf(document, HEADER) === headerText;

  // It shows an adopted field as it was published, beside fields that have changed since.
  if (isRemoved && !hasAdopted && !shown.some(carriesObject))
    yield `was published as removed as ${objectText}, which it never was`;
  const documents = (isGroupRemoved ? shown : read).filter(carriesHeader);
  if (documents.length === 0) yield `its group was not shown as ${headerText}`;
  const both = isRemoved ? documents : documents.filter(carriesObject);
  if (documents.length > 0 && both.length === 0)
    yield `was not shown as ${objectText} along with ${headerText}`;

  if (both.length > 0 && !both.some(({ document }) => showsContext(event, document, shown)))
    yield `its context was not shown along with ${objectText}`;

  const customer = 'customer' in event.data ? event.data.customer : undefined;
  const isDue = customerData && !isGroupRemoved;
  if (both.length > 0 && !both.some(({ document }) => isSameCustomer(customer, isDue ? document : undefined)))
    yield isDue
      ? 'carries another customer than the group has'
      : 'carries a customer, though customer data is off';
}

const ITEM = ['id', 'sku', 'barcode', 'product_name', 'variant_name', 'quantity', 'status'];
const SHIPMENT = ['id', 'status', 'carrier', 'tracking_number'];

/** The context is the group's as well. What a document lacks may be kept from an earlier one. */
function showsContext(
  { type, data }: PublishedChange['event'],
  document: GroupDocument | undefined,
  earlier: readonly Showing[],
): boolean {
  const object = data.object as unknown as Fields;
  if (type.startsWith('shipment.')) {
    const { items, items_total: total } = data as unknown as { items: Fields[]; items_total: number };
    const { return_ids: named = [] } = object as { return_ids?: unknown[] };
    const isOn = (item: Fields) =>
      named.length > 0 ? named.includes(item.id) : item.shipment_id === object.id;
    const due = document === undefined ? [] : entitiesIn(document, 'return_line_item').filter(isOn);
    const wasShown = (item: Fields) => isShown(item, 'return_line_item', ITEM, earlier);
    return (
      total >= items.length &&
      items.every(wasShown) &&
      due.every((item) => items.some((it) => textOf(it, ITEM) === textOf(item, ITEM)))
    );
  }
  if (!type.startsWith('return_line_item.')) return true;
  const { shipment } = data as unknown as { shipment: Fields | null };
  const on = document && entitiesIn(document, 'shipment').find(({ id }) => id === object.shipment_id);
  if (on !== undefined) return shipment !== null && textOf(shipment, SHIPMENT) === textOf(on, SHIPMENT);
  return shipment === null || isShown(shipment, 'shipment', SHIPMENT, earlier);
}

function isShown(
  entity: Fields,
  kind: PublishedChange['kind'],
  names: readonly string[],
  showings: readonly Showing[],
): boolean {
  const text = textOf(entity, names);
  return showings.some(
    ({ document }) => document && entitiesIn(document, kind).some((each) => textOf(each, names) === text),
  );
}

function* surplus(label: string, fields: Fields, known: readonly string[]): Generator<string> {
  for (const name of Object.keys(fields)) if (!known.includes(name)) yield `${label} has a field ${name}`;
  for (const name of known) if (!(name in fields)) yield `${label} has no field ${name}`;
}

function entitiesIn(document: GroupDocument, kind: PublishedChange['kind']): readonly Fields[] {
  if (kind === 'return_group') return [document];
  const entities = document[ARRAYS[kind]];
  return Array.isArray(entities) ? entities : [];
}

const texts = new WeakMap<Fields, Map<readonly string[], string>>();

/** The named fields as one text; equal values in different notations give the same text. */
function textOf(fields: Fields, names: readonly string[]): string {
  const known = texts.get(fields) ?? new Map<readonly string[], string>();
  texts.set(fields, known);
  const text = known.get(names) ?? JSON.stringify(names.map((name) => plainValue(fields, name)));
  known.set(names, text);
  return text;
}

function plainValue(fields: Fields, name: string): unknown {
  if (name === 'platform_id') return plainId(fields[name]);
  if (name.endsWith('_at')) return timeOf(String(fields[name])) ?? null;
  if (name === 'order') return parts(fields.order, ['id', 'name', 'platform_id']) ?? [null, null, null];
  if (name === 'return_reason_details') return parts(fields[name], ['value', 'label']);
  if (name === 'total' || name === 'amount') return plainBag(fields[name]);
  return fieldValue(fields, name);
}

function parts(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return names.map((name) => (value as Fields)[name] ?? null);
}

/** @param document undefined where no customer is allowed */
function isSameCustomer(published: unknown, document: GroupDocument | undefined): boolean {
  const known = parts(document?.customer, CUSTOMER);
  return JSON.stringify(parts(published, CUSTOMER)) === JSON.stringify(known);
}

const CUSTOMER = ['name', 'email', 'phone'];
