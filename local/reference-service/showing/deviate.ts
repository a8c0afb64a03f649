// Deviations of real services from the document, or from what it leaves open: one function for each knob, applied to a
// conforming group.

import type { Knobs } from '../knobs.ts';
import type { Random } from '../store/seeded-random.ts';
import type { Shown, ShownGroup } from './show-group.ts';
import { makeUnreadable } from './unreadable.ts';

const FLICKER = 0.15;
const ENTITY_ARRAYS = ['shipments', 'returns', 'exchange_line_items', 'refund_transactions'] as const;

/** Fields that the feed can't do without; all others may be missing. */
const INDISPENSABLE = new Set(['id', 'status', 'created_at', 'updated_at', ...ENTITY_ARRAYS]);

/** Fields that the document makes optional and nullable, so that null and absent mean the same. */
const OPTIONAL_NULLS = [
  'credit_method',
  'carrier',
  'tracking_number',
  'origin_address',
  'destination_address',
  'shipped_at',
  'delivered_at',
  'return_group_id',
  'platform_id',
  'shipment_id',
  'sku',
  'barcode',
  'return_note',
  'last_rma_number',
  'last_rma_provider',
  'gateway',
] as const;

/** Applies the knobs to a shown group. The result may not be a group at all. */
export function deviate(group: ShownGroup, knobs: Knobs, random: Random): unknown {
  if (knobs.childOrder === 'shuffled') for (const name of ENTITY_ARRAYS) random.shuffle(group[name]);
  setLineItemType(group, knobs.lineItemType);
  if (knobs.newFields) addNewFields(group);
  if (knobs.personalFields) addPersonalFields(group);
  if (knobs.omissions === 'samples') omitAsSamplesDo(group);
  if (knobs.omissions === 'all') omitAllThatCanBe(group);
  if (knobs.nulls !== 'present') omitNulls(group, knobs.nulls === 'absent' ? 1 : FLICKER, random);
  const { unreadableEvery, unreadableAs } = knobs;
  const shown =
    unreadableEvery > 0 && Number(group.id) % unreadableEvery === 0
      ? makeUnreadable(group, unreadableAs, Number(group.id) / unreadableEvery)
      : group;
  if (knobs.arrays !== 'full' && shown === group) omitArrays(group, knobs.arrays, random);
  return shown;
}

function setLineItemType(group: ShownGroup, type: Knobs['lineItemType']): void {
  if (type === 'return_line_item') return;
  for (const item of group.returns) {
    if (type === 'absent') delete item.type;
    else item.type = type;
  }
}

function addNewFields(group: ShownGroup): void {
  group.channel = 'portal';
  group.fraud_check = { score: 0.1, signals: ['address_match'] };
  for (const shipment of group.shipments) shipment.estimated_delivery = null;
  for (const item of group.returns) Object.assign(item, { condition: 'UNOPENED', photos: [] });
  for (const exchange of group.exchange_line_items) exchange.warehouse = { id: 3 };
}

/** Adds keys that are personal data, like a service that sends a map keyed by persons in place of an object. */
function addPersonalFields(group: ShownGroup): void {
  const customer = group.customer as Shown;
  for (const name of [customer.name, customer.email, customer.phone]) {
    if (typeof name === 'string') customer[name] = true;
  }
}

/** "Observed deviations between the schema and sample responses". */
function omitAsSamplesDo(group: ShownGroup): void {
  const refund = group.suggested_refund as Shown;
  for (const field of ['handling_fee', 'shipping_fee', 'store_credit_incentive']) delete refund[field];
  delete (group.order as Shown).tags;
  delete (group.customer as Shown).phone;
  for (const item of group.returns) {
    delete item.discount_total;
    delete item.barcode;
  }
  for (const exchange of group.exchange_line_items) delete exchange.discount_total;
}

function omitAllThatCanBe(group: ShownGroup): void {
  omitBut(group);
  for (const name of ['shipments', 'returns', 'exchange_line_items'] as const) group[name].forEach(omitBut);
}

function omitBut(object: Shown): void {
  for (const field of Object.keys(object)) if (!INDISPENSABLE.has(field)) delete object[field];
}

function omitNulls(group: ShownGroup, share: number, random: Random): void {
  for (const object of [group, ...ENTITY_ARRAYS.flatMap((name) => group[name])] as Shown[]) {
    for (const field of OPTIONAL_NULLS)
      if (object[field] === null && random.chance(share)) delete object[field];
  }
}

function omitArrays(group: Shown, how: Exclude<Knobs['arrays'], 'full'>, random: Random): void {
  for (const name of ENTITY_ARRAYS) {
    const isEmpty = Array.isArray(group[name]) && group[name].length === 0;
    const isOmitted = how === 'flicker' ? random.chance(FLICKER) : isEmpty;
    if (!isOmitted) continue;
    if (how === 'null-if-empty' || (how === 'flicker' && random.chance(0.5))) group[name] = null;
    else delete group[name];
  }
}
