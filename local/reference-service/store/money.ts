// The service's money: bags of an amount in the shop's and in the customer's currency. Sums are computed in cents,
// which is exact.

import type { MoneyBag, StoredProduct } from './stored-group.ts';

const EUROS_PER_DOLLAR = 0.92;

const BAGS_REMEMBERED = 20_000;
const bags = new Map<number, MoneyBag>();

/**
 * A bag of US cents, shown to the customer in the given currency. Equal bags are one object: prices repeat, and a store
 * of a million groups has many of them.
 */
export function moneyBag(cents: number, presentment: 'USD' | 'EUR'): MoneyBag {
  const key = 2 * Math.round(cents) + (presentment === 'EUR' ? 1 : 0);
  const known = bags.get(key);
  if (known !== undefined) return known;
  const fresh = newBag(Math.round(cents), presentment);
  if (bags.size < BAGS_REMEMBERED) bags.set(key, fresh);
  return fresh;
}

function newBag(cents: number, presentment: 'USD' | 'EUR'): MoneyBag {
  const shop = { amount: cents / 100, currency_code: 'USD' };
  if (presentment === 'USD') return { shop_money: shop, presentment_money: shop };
  return {
    shop_money: shop,
    presentment_money: { amount: Math.round(cents * EUROS_PER_DOLLAR) / 100, currency_code: presentment },
  };
}

/** A change by hand may leave parts of a bag out; then the service's document says 0 USD. */
type AnyBag = { readonly [Money in keyof MoneyBag]?: Partial<MoneyBag[Money]> };

export function centsOf({ shop_money: { amount = 0 } = {} }: AnyBag): number {
  return Math.round(amount * 100);
}

export function presentmentOf({ presentment_money: { currency_code } = {} }: AnyBag): 'USD' | 'EUR' {
  return currency_code === 'EUR' ? 'EUR' : 'USD';
}

/** The sum of the amounts of these items' products. */
export function sumOf(
  items: readonly { readonly product: StoredProduct }[],
  field: 'total' | 'tax_total',
  presentment: 'USD' | 'EUR',
): MoneyBag {
  const cents = items.reduce((sum, { product }) => sum + centsOf(product[field]), 0);
  return moneyBag(cents, presentment);
}
