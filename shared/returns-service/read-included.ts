// Reads the fields that only some sources ask for (`include`). Other sources' rows are not searched for them: nothing
// that is not asked for is ever read. All of them are context (read-context.ts).
import { isJsonObject, type JsonObject } from './json.ts';
import { type Lenient, readCode, readMoneyBag } from './read-context.ts';

/** What settings can add to events. */
export const INCLUDABLE = ['destination_address', 'order_tags', 'suggested_refund'] as const;
export type Includable = (typeof INCLUDABLE)[number];

/** As the service shows them; a field is absent unless it is asked for. */
export type ReadIncluded = ReturnType<typeof readIncluded>;

export function readIncluded(raw: unknown, include: readonly Includable[]) {
  const group = isJsonObject(raw) ? raw : {};
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
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

function readRefund(raw: unknown) {
  if (!isJsonObject(raw)) return null;
  return {
    refund_total: readMoneyBag(raw.refund_total),
    return_total: readMoneyBag(raw.return_total),
    return_tax_total: readMoneyBag(raw.return_tax_total),
    exchange_total: readMoneyBag(raw.exchange_total),
    exchange_tax_total: readMoneyBag(raw.exchange_tax_total),
  };
}

interface ReadAddress {
  readonly city: Lenient<string>;
  readonly province: Lenient<string>;
  readonly country: Lenient<string>;
}

/** By the shipment's id. Names, streets and postal codes are not read. */
function readAddresses(shipments: unknown): ReadonlyMap<unknown, ReadAddress> {
  const rows: readonly JsonObject[] = Array.isArray(shipments) ? shipments.filter(isJsonObject) : [];
  return new Map(
    rows.flatMap(({ id, destination_address: address }) =>
      isJsonObject(address) ? [[id, readAddress(address)] as const] : [],
    ),
  );
}

function readAddress({ city, province, country }: JsonObject): ReadAddress {
  return { city: readCode(city), province: readCode(province), country: readCode(country) };
}
