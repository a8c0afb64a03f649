// Fields and enumeration values that the service's document does not list. The document's lists are repeated here
// (returns-data-service.md, "Resources and their fields").
import type { GroupDocument } from './evidence.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Resource {
  readonly fields: readonly string[];
  /** The resource in a field, alone or in a list, by the name of the field. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Enumerations. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

const MONEY_BAGS = [
  ...['refund_total', 'return_total', 'return_tax_total', 'exchange_total', 'exchange_tax_total'],
  ...['handling_fee', 'shipping_fee', 'store_credit_incentive'],
];
const PRICES = ['subtotal', 'discounted_subtotal', 'discount_total', 'tax_total', 'total'];
const PRODUCT = ['product_platform_id', 'product_name', 'variant_platform_id', 'variant_name', 'sku'];

const bagsIn = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, 'money_bag']));

const RESOURCES: Readonly<Record<string, Resource>> = {
  return_group: {
    fields: [
      ...['type', 'id', 'return_method', 'credit_method', 'created_at', 'updated_at', 'return_outcome'],
      ...['order', 'customer', 'shipments', 'returns', 'exchange_line_items', 'refund_transactions'],
      'suggested_refund',
    ],
    parts: {
      order: 'order',
      customer: 'customer',
      shipments: 'shipment',
      returns: 'return_line_item',
      exchange_line_items: 'exchange_line_item',
      refund_transactions: 'refund_transaction',
      suggested_refund: 'suggested_refund',
    },
    values: {
      credit_method: ['STORE_CREDIT', 'ORIGINAL_PAYMENT_METHOD'],
      return_outcome: ['credit', 'refund', 'exchange+refund', 'exchange', 'exchange+credit', 'upsell'],
    },
  },
  order: {
    fields: [
      ...['type', 'id', 'platform_id', 'name', 'tags', 'created_at', 'source_name', 'fulfilled_at'],
      'taxes_included',
    ],
  },
  customer: { fields: ['type', 'name', 'email', 'phone'] },
  shipment: {
    fields: [
      ...['type', 'id', 'status', 'carrier', 'tracking_number', 'created_at', 'origin_address'],
      ...['destination_address', 'shipped_at', 'delivered_at', 'return_group_id', 'return_ids'],
    ],
    parts: { origin_address: 'address', destination_address: 'address' },
    values: { status: ['DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'CANCELED', 'UNKNOWN'] },
  },
  address: { fields: ['address1', 'address2', 'city', 'province', 'zip', 'country'] },
  return_line_item: {
    fields: [
      ...['type', 'id', 'platform_id', 'created_at', 'status', 'shipment_id', 'barcode', 'quantity'],
      ...['platform_refund_transaction_ids', 'platform_line_item_id', 'return_reason', 'return_note'],
      ...['return_reason_details', 'questions_answers', 'tax_percentage', 'last_rma_number'],
      ...['last_rma_provider', ...PRODUCT, ...PRICES],
    ],
    parts: {
      return_reason_details: 'return_reason',
      questions_answers: 'question_answer',
      ...bagsIn(PRICES),
    },
    values: { status: ['IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'] },
  },
  return_reason: { fields: ['type', 'value', 'label', 'path', 'path_labels', 'note'] },
  question_answer: {
    fields: ['type', 'question_text', 'question_description', 'question_type', 'answers'],
  },
  exchange_line_item: {
    fields: [
      ...['type', 'id', 'line_item_platform_id', 'status', 'quantity', 'tax_percentage'],
      ...[...PRODUCT, ...PRICES],
    ],
    parts: bagsIn(PRICES),
    values: { status: ['UNPROCESSED', 'PROCESSED', 'CANCELED'] },
  },
  refund_transaction: {
    fields: ['type', 'platform_id', 'amount', 'gateway'],
    parts: { amount: 'money_bag' },
  },
  suggested_refund: { fields: ['type', ...MONEY_BAGS], parts: bagsIn(MONEY_BAGS) },
  money_bag: {
    fields: ['shop_money', 'presentment_money'],
    parts: { shop_money: 'money', presentment_money: 'money' },
  },
  money: { fields: ['amount', 'currency_code'] },
};

/** A field name that can't be a person's: one word in small letters or camel case, or several joined by `_`. */
const FIELD = /^[a-z][A-Za-z0-9]*(_[a-z0-9]+)*$/;
/** A value that can't be a person's name. */
const VALUE = /^([A-Z0-9_+-]{1,40}|[a-z0-9_+-]{1,40})$/;
const MOST_DIGITS = 4;

/** Adds the findings that the feed may report of a document: `shipment.locker_code`, `shipment.status=LOST`. */
export function unlistedIn(document: GroupDocument, found: Set<string>): void {
  look('return_group', document, found);
}

function look(name: string, value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const element of value) look(name, element, found);
    return;
  }
  const resource = RESOURCES[name];
  if (resource === undefined || typeof value !== 'object' || value === null) return;
  const unlisted = Object.keys(value).filter((field) => !resource.fields.includes(field));
  const listed = Object.keys(value).filter((field) => field !== 'type' && resource.fields.includes(field));
  // If most names are unlisted, they are keys, and none of them may be shown.
  if (unlisted.length > listed.length) found.add(`${name} has more unlisted fields than listed ones`);
  else for (const field of unlisted) found.add(nameFinding(name, field));
  for (const [field, inner] of Object.entries(value as Fields)) {
    for (const each of [inner].flat()) noteValue(name, resource, field, each, found);
    const part = resource.parts?.[field];
    if (part !== undefined) look(part, inner, found);
  }
}

function nameFinding(name: string, field: string): string {
  const isName = FIELD.test(field) && field.replace(/\D/g, '').length <= MOST_DIGITS;
  return isName ? `${name}.${field}` : `${name} has a field with an odd name`;
}

/** Methods and partners' names are placeholders in the document: any value may be reported as unlisted. */
const PLACEHOLDERS = new Set(['return_method', 'last_rma_provider']);

function noteValue(
  name: string,
  { values }: Resource,
  field: string,
  value: unknown,
  found: Set<string>,
): void {
  if (typeof value !== 'string') return;
  const listed = values?.[field];
  if (listed === undefined ? !PLACEHOLDERS.has(field) : listed.includes(value)) return;
  found.add(VALUE.test(value) ? `${name}.${field}=${value}` : `${name}.${field} has an odd value`);
}

/** Statuses that the document does not list; the feed has to find these, wherever they are. */
export function unlistedStatusesIn(document: GroupDocument): string[] {
  const found = new Set<string>();
  unlistedIn(document, found);
  return [...found].filter((finding) => finding.includes('.status='));
}
