// Shows a stored group in the document's form, with stamps as texts, and then in the form that knobs set.

import type { Instant } from '../../../shared/instant.ts';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';
import type { Knobs } from '../knobs.ts';
import type { StoredGroup } from '../store/stored-group.ts';

/** A mutable object of an answer. */
export type Shown = Record<string, unknown>;

export interface ShownGroup extends Shown {
  shipments: Shown[];
  returns: Shown[];
  exchange_line_items: Shown[];
  refund_transactions: Shown[];
}

const ENTITIES = {
  shipments: DOCUMENTED_RESOURCES.Shipment,
  returns: DOCUMENTED_RESOURCES.ReturnLineItem,
  exchange_line_items: DOCUMENTED_RESOURCES.ExchangeLineItem,
  refund_transactions: DOCUMENTED_RESOURCES.RefundTransaction,
};
export const ENTITY_ARRAYS = Object.keys(ENTITIES) as (keyof typeof ENTITIES)[];

/** Fields that the feed can't do without; all others may be missing. */
const INDISPENSABLE = new Set(['id', 'status', 'created_at', 'updated_at', ...ENTITY_ARRAYS]);

/** Every field of the group, required or not. */
export function showGroup(group: StoredGroup, writeStamp: (instant: Instant) => string): ShownGroup {
  const show = (value: unknown, name = ''): unknown => {
    if (typeof value === 'number') return name.endsWith('_at') ? writeStamp(value) : value;
    if (Array.isArray(value)) return value.map((each) => show(each));
    return typeof value === 'object' && value !== null ? showAll(value) : value;
  };
  const showAll = (object: object): Shown => {
    const shown: Shown = {};
    for (const [name, value] of Object.entries(object)) shown[name] = show(value, name);
    return shown;
  };
  return showAll(group) as ShownGroup;
}

/** Adds and removes fields as the knobs say, but none at random. */
export function deviate(group: ShownGroup, { newFields, omissions }: Knobs): ShownGroup {
  if (newFields) addNewFields(group);
  if (omissions === 'samples') omitAsSamplesDo(group);
  if (omissions === 'all')
    for (const object of [group, ...group.shipments, ...group.returns, ...group.exchange_line_items])
      for (const field of Object.keys(object)) if (!INDISPENSABLE.has(field)) delete object[field];
  return group;
}

function addNewFields(group: ShownGroup): void {
  // Some services send a map keyed by persons: its keys are personal data.
  const customer = group.customer as Shown;
  customer[String(customer.email)] = true;
  group.channel = 'portal';
  group.fraud_check = { score: 0.1, signals: ['address_match'] };
  for (const shipment of group.shipments) shipment.estimated_delivery = null;
  for (const item of group.returns) Object.assign(item, { condition: 'UNOPENED', photos: [] });
  for (const exchange of group.exchange_line_items) exchange.warehouse = { id: 3 };
}

/** "Observed deviations between the schema and sample responses". */
function omitAsSamplesDo(group: ShownGroup): void {
  const refund = group.suggested_refund as Shown;
  for (const field of ['handling_fee', 'shipping_fee', 'store_credit_incentive']) delete refund[field];
  delete (group.order as Shown).tags;
  delete (group.customer as Shown).phone;
  for (const item of group.returns) {
    item.type = 'return';
    delete item.discount_total;
    delete item.barcode;
  }
  for (const exchange of group.exchange_line_items) delete exchange.discount_total;
}

const OPTIONAL = Object.entries({ ...ENTITIES, group: DOCUMENTED_RESOURCES.ReturnGroup }).map(
  ([name, { shape }]) =>
    [
      name,
      Object.entries(shape).flatMap(([field, type]) => (type.safeParse(undefined).success ? [field] : [])),
    ] as const,
);

/**
 * Leaves out nulls where the document makes the field optional, so that null and absent mean the same.
 *
 * @param isOmitted by the field's place among the optional ones
 */
export function omitNulls(group: ShownGroup, isOmitted: (place: number) => boolean): void {
  for (const [name, fields] of OPTIONAL)
    for (const object of name === 'group' ? [group] : group[name as keyof typeof ENTITIES])
      for (const [place, field] of fields.entries())
        if (object[field] === null && isOmitted(place)) delete object[field];
}
