// Reads the fields that only some sources ask for (`include`). Other sources' rows are not searched for them: nothing
// that is not asked for is ever read. They are compared with nothing, so what can't be read is null, and drift.
import { code, identifier, moneyBag, optional, text } from './field-kinds.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** What settings can add to events. */
export const INCLUDABLE = ['destination_address', 'order_tags', 'suggested_refund'] as const;
export type Includable = (typeof INCLUDABLE)[number];

/** As the service shows them; a field is absent unless it is asked for. */
export type ReadIncluded = ReturnType<typeof readIncluded>;

export function readIncluded(group: JsonObject, include: readonly Includable[]) {
  return {
    ...(include.includes('order_tags') && { order_tags: readTags(group.order) }),
    ...(include.includes('suggested_refund') && { suggested_refund: readRefund(group.suggested_refund) }),
    ...(include.includes('destination_address') && { addresses: readAddresses(group.shipments) }),
  };
}

/** What copies of one group show: a list may show it once for each shipment. */
export function uniteIncluded(copies: readonly [ReadIncluded, ...ReadIncluded[]]): ReadIncluded {
  const [first] = copies;
  if (first.addresses === undefined) return first;
  return { ...first, addresses: new Map(copies.flatMap(({ addresses = [] }) => [...addresses])) };
}

function readTags(order: unknown): string[] {
  const tags = isJsonObject(order) ? order.tags : undefined;
  return Array.isArray(tags) ? tags.flatMap((tag) => text(tag) ?? []) : [];
}

function readRefund(raw: unknown) {
  if (!isJsonObject(raw)) return null;
  const of = { name: 'suggested_refund', raw, faults: [] };
  return {
    refund_total: optional(of, 'refund_total', moneyBag),
    return_total: optional(of, 'return_total', moneyBag),
    return_tax_total: optional(of, 'return_tax_total', moneyBag),
    exchange_total: optional(of, 'exchange_total', moneyBag),
    exchange_tax_total: optional(of, 'exchange_tax_total', moneyBag),
  };
}

/** By the shipment's id. Names, streets and postal codes are not read. */
function readAddresses(shipments: unknown) {
  const rows = Array.isArray(shipments) ? shipments.filter(isJsonObject) : [];
  return new Map(
    rows.flatMap(({ id, destination_address: address }) =>
      isJsonObject(address) ? [[identifier(id), readAddress(address)] as const] : [],
    ),
  );
}

function readAddress(raw: JsonObject) {
  const of = { name: 'address', raw, faults: [] };
  return {
    city: optional(of, 'city', code),
    province: optional(of, 'province', code),
    country: optional(of, 'country', code),
  };
}
