// Reads a row: the fields that may be published, under the document's names. Required are its id and `created_at`, the id
// and status of each entity (the known status beside a new `delivered_at` would be a false event), and a refund's id, or
// its gateway and amount. Without these the row, or the entity, can't be read. Any other field costs only itself
// (field-kinds.ts).
import {
  code,
  type Fault,
  type Fields,
  faultOf,
  identifier,
  isNullAlone,
  type Lenient,
  listOf,
  moneyBag,
  object,
  optional,
  required,
  shown,
  stamp,
  status,
  text,
  textId,
  UNREADABLE,
  wholeNumber,
  word,
} from './field-kinds.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/**
 * A return group as read. A list that is absent or can't be read says nothing of its entities. An entity that can't be
 * read may be any of them.
 */
export type ReturnGroup = NonNullable<ReturnType<typeof readRow>>['group'];

// These name every field, even absent ones: objects of one form are the fastest to make and to compare. Fields that are
// never published (addresses, notes, answers, tags, most amounts) are not read at all.
/** Undefined, with the reason in `faults`, if the row can't be read. */
export function readRow(raw: JsonObject, faults: Fault[]) {
  const of = { name: 'return_group', raw, faults };
  const id = required(of, 'id', identifier);
  const created = required(of, 'created_at', stamp);
  // Null until the first update.
  const updated = raw.updated_at === null ? created : optional(of, 'updated_at', stamp);
  if (id === undefined || created === undefined) return undefined;
  const group = {
    id,
    return_method: optional(of, 'return_method', word),
    credit_method: optional(of, 'credit_method', word),
    created_at: String(raw.created_at),
    updated_at: shown(updated) ? String(raw.updated_at ?? raw.created_at) : undefined,
    return_outcome: optional(of, 'return_outcome', word),
    order: inner(of, 'order', 'order', order),
    customer: customer(raw.customer),
    shipments: entities(of, 'shipments', 'shipment', shipment),
    returns: entities(of, 'returns', 'return_line_item', returnLineItem),
    exchange_line_items: entities(of, 'exchange_line_items', 'exchange_line_item', exchangeLineItem),
    refund_transactions: entities(of, 'refund_transactions', 'refund_transaction', refundTransaction),
  };
  return { group, created, updated: shown(updated) ? updated : undefined };
}

const identifiers = listOf(identifier);
const codes = listOf(code);

function shipment(of: Fields) {
  const [id, state] = [required(of, 'id', identifier), required(of, 'status', status)];
  if (id === undefined || state === undefined) return UNREADABLE;
  return {
    id,
    status: state,
    carrier: optional(of, 'carrier', code),
    tracking_number: optional(of, 'tracking_number', code),
    created_at: optional(of, 'created_at', word),
    shipped_at: optional(of, 'shipped_at', word),
    delivered_at: optional(of, 'delivered_at', word),
    return_ids: optional(of, 'return_ids', identifiers),
  };
}

function returnLineItem(of: Fields) {
  const [id, state] = [required(of, 'id', identifier), required(of, 'status', status)];
  if (id === undefined || state === undefined) return UNREADABLE;
  return {
    id,
    platform_id: optional(of, 'platform_id', code),
    created_at: optional(of, 'created_at', word),
    status: state,
    shipment_id: optional(of, 'shipment_id', identifier),
    platform_refund_transaction_ids: optional(of, 'platform_refund_transaction_ids', codes),
    platform_line_item_id: optional(of, 'platform_line_item_id', code),
    product_platform_id: optional(of, 'product_platform_id', code),
    product_name: optional(of, 'product_name', text),
    variant_platform_id: optional(of, 'variant_platform_id', code),
    variant_name: optional(of, 'variant_name', text),
    sku: optional(of, 'sku', code),
    barcode: optional(of, 'barcode', code),
    quantity: optional(of, 'quantity', wholeNumber),
    return_reason_details: inner(of, 'return_reason_details', 'return_reason', returnReason),
    total: optional(of, 'total', moneyBag),
    last_rma_number: optional(of, 'last_rma_number', code),
    last_rma_provider: optional(of, 'last_rma_provider', word),
  };
}

function exchangeLineItem(of: Fields) {
  const [id, state] = [required(of, 'id', textId), required(of, 'status', status)];
  if (id === undefined || state === undefined) return UNREADABLE;
  return {
    id,
    line_item_platform_id: optional(of, 'line_item_platform_id', code),
    product_platform_id: optional(of, 'product_platform_id', code),
    product_name: optional(of, 'product_name', text),
    variant_platform_id: optional(of, 'variant_platform_id', code),
    variant_name: optional(of, 'variant_name', text),
    sku: optional(of, 'sku', code),
    status: state,
    quantity: optional(of, 'quantity', wholeNumber),
    total: optional(of, 'total', moneyBag),
  };
}

function refundTransaction(of: Fields) {
  const platform_id = optional(of, 'platform_id', code);
  const amount = optional(of, 'amount', moneyBag);
  const gateway = optional(of, 'gateway', code);
  // An empty id identifies nothing.
  const isNamed = shown(platform_id) && platform_id !== '';
  if (!isNamed && (amount === UNREADABLE || gateway === UNREADABLE)) return UNREADABLE;
  return { platform_id, amount, gateway };
}

function order(of: Fields) {
  return {
    id: optional(of, 'id', wholeNumber),
    platform_id: optional(of, 'platform_id', code),
    name: optional(of, 'name', text),
  };
}

function returnReason(of: Fields) {
  return { value: optional(of, 'value', text), label: optional(of, 'label', text) };
}

/** Published only if settings ask for it, and never kept: what can't be read is null, and drift. */
function customer(raw: unknown) {
  if (!isJsonObject(raw)) return raw === null ? null : undefined;
  const of = { name: 'customer', raw, faults: [] };
  return {
    name: optional(of, 'name', text),
    email: optional(of, 'email', text),
    phone: optional(of, 'phone', text),
  };
}

/** An object in a field, with the name of its resource. */
function inner<Value>(of: Fields, field: string, name: string, read: (of: Fields) => Value): Lenient<Value> {
  const raw = optional(of, field, object);
  return shown(raw) ? read({ name, raw, faults: of.faults }) : raw;
}

function entities<Entity>(of: Fields, field: string, name: string, read: (of: Fields) => Entity) {
  const list = of.raw[field] === null ? [] : optional(of, field, array);
  if (!shown(list)) return list === null ? undefined : list;
  if (isNullAlone(list)) return [];
  return list.map((raw) => {
    if (isJsonObject(raw)) return read({ name, raw, faults: of.faults });
    of.faults.push(faultOf(name, raw));
    return UNREADABLE;
  });
}

function array(raw: unknown): readonly unknown[] | undefined {
  return Array.isArray(raw) ? raw : undefined;
}
