// The fields that settings include, as events carry them: cut, with null for what is absent.
import type { DestinationAddress, SuggestedRefund } from '../contract/entities.ts';
import { MAX_INCLUDED_CHARACTERS, MAX_TAGS } from '../limits.ts';
import { type Lenient, shown } from '../returns-service/field-kinds.ts';
import type { ReadIncluded } from '../returns-service/read-included.ts';
import { cutText, projectMoneyBag } from './project-group.ts';
import type { Included } from './snapshot.ts';

export function projectIncluded(read: ReadIncluded): Included {
  const { order_tags: tags, suggested_refund: refund, addresses } = read;
  const projected = () =>
    new Map(Array.from(addresses ?? [], ([id, address]) => [id, projectAddress(address)]));
  return {
    ...(tags && { order_tags: tags.slice(0, MAX_TAGS).map((tag) => cut(tag) ?? '') }),
    ...(refund !== undefined && { suggested_refund: refund && projectRefund(refund) }),
    ...(addresses && { destination_addresses: projected() }),
  };
}

function projectRefund(refund: NonNullable<ReadIncluded['suggested_refund']>): SuggestedRefund {
  return {
    refund_total: projectMoneyBag(refund.refund_total) ?? null,
    return_total: projectMoneyBag(refund.return_total) ?? null,
    return_tax_total: projectMoneyBag(refund.return_tax_total) ?? null,
    exchange_total: projectMoneyBag(refund.exchange_total) ?? null,
    exchange_tax_total: projectMoneyBag(refund.exchange_tax_total) ?? null,
  };
}

type Address =
  NonNullable<ReadIncluded['addresses']> extends ReadonlyMap<unknown, infer Value> ? Value : never;

function projectAddress({ city, province, country }: Address): DestinationAddress {
  return { city: cut(city), province: cut(province), country: cut(country) };
}

function cut(text: Lenient<string>): string | null {
  return shown(text) ? cutText(text, MAX_INCLUDED_CHARACTERS) : null;
}
