// Returned and exchanged items, their products, and the sums of their prices. Sums are computed in cents, which is exact.

import type { Instant } from '../../../shared/instant.ts';
import { COLOURS, NOTES, PRODUCTS, REASONS, SIZES } from './catalogue.ts';
import { lineItemId } from './identities.ts';
import type { Random } from './seeded-random.ts';
import type { MoneyBag, StoredExchange, StoredGroup, StoredLineItem } from './stored-group.ts';

export type Currency = 'USD' | 'EUR';

const EUROS_PER_DOLLAR = 0.92;
const TAX_PERCENTAGE = 8.25;
const DISCOUNT = 0.15;
const SHIPPING_FEE = 695;
const STORE_CREDIT_INCENTIVE = 1_000;

const QUESTION = {
  ...{ type: 'question_answer', question_text: 'What can we do better?' },
  ...{ question_description: 'A sentence is enough.', question_type: 'TEXT' },
} as const;

export interface ItemContext {
  readonly groupId: number;
  readonly createdAt: Instant;
  /** The customer's. */
  readonly presentment: Currency;
  readonly random: Random;
}

/** A returned item at a place (0, 1, …) of its group. */
export function newLineItem(
  place: number,
  status: string,
  shipment: number | null,
  { groupId, createdAt, presentment, random }: ItemContext,
): StoredLineItem {
  const id = lineItemId(groupId, place);
  const quantity = random.chance(0.12) ? 2 : 1;
  const { names, prices } = someProduct(random, quantity, presentment);
  const reason = { ...random.pick(REASONS), note: random.chance(0.3) ? random.pick(NOTES) : null };
  return {
    type: 'return_line_item',
    id,
    platform_id: random.chance(0.7) ? `gid://platform/Return/${id + 7_000_000}` : null,
    created_at: createdAt,
    ...{ status, shipment_id: shipment, platform_refund_transaction_ids: [] },
    platform_line_item_id: `gid://platform/LineItem/${id + 11_000_000}`,
    ...names,
    barcode: random.chance(0.6) ? String(4_006_381_000_000 + random.below(333_000)) : null,
    quantity,
    ...{ return_reason: reason.value, return_note: reason.note },
    return_reason_details: { type: 'return_reason', ...reason },
    questions_answers: random.chance(0.2) ? [{ ...QUESTION, answers: [random.pick(NOTES)] }] : [],
    ...prices,
    ...{ last_rma_number: null, last_rma_provider: null },
  };
}

export function newExchange(place: number, { groupId, random, presentment }: ItemContext): StoredExchange {
  const { names, prices } = someProduct(random, 1, presentment);
  return {
    type: 'exchange_line_item',
    id: `exl_${groupId}_${place + 1}`,
    line_item_platform_id: null,
    ...names,
    ...{ status: 'UNPROCESSED', quantity: 1 },
    ...prices,
  };
}

function someProduct(random: Random, quantity: number, presentment: Currency) {
  const number = random.below(PRODUCTS.length);
  const colourNumber = random.below(COLOURS.length);
  const sizeNumber = random.below(SIZES.length);
  const isReduced = random.chance(0.25);
  const { name, code, price } = PRODUCTS[number] ?? PRODUCTS[0];
  const colour = COLOURS[colourNumber] ?? COLOURS[0];
  const size = SIZES[sizeNumber] ?? SIZES[0];
  const subtotal = price * quantity;
  const discount = Math.round(subtotal * (isReduced ? DISCOUNT : 0));
  const tax = Math.round(((subtotal - discount) * TAX_PERCENTAGE) / 100);
  return {
    names: {
      product_platform_id: `gid://platform/Product/${810_000 + number}`,
      product_name: name,
      variant_platform_id: `gid://platform/Variant/${(810_000 + number) * 100 + colourNumber * 10 + sizeNumber}`,
      variant_name: `${colour} / ${size}`,
      sku: `${code}-${colour.slice(0, 3).toUpperCase()}-${size}`,
    },
    prices: {
      subtotal: moneyBag(subtotal, presentment),
      discounted_subtotal: moneyBag(subtotal - discount, presentment),
      discount_total: moneyBag(discount, presentment),
      tax_total: moneyBag(tax, presentment),
      tax_percentage: TAX_PERCENTAGE,
      total: moneyBag(subtotal - discount + tax, presentment),
    },
  };
}

/** @param cents of US dollars */
function moneyBag(cents: number, presentment: Currency): MoneyBag {
  const shop = { amount: Math.round(cents) / 100, currency_code: 'USD' };
  if (presentment === 'USD') return { shop_money: shop, presentment_money: shop };
  const amount = Math.round(Math.round(cents) * EUROS_PER_DOLLAR) / 100;
  return { shop_money: shop, presentment_money: { amount, currency_code: presentment } };
}

/** A change by hand may leave parts of a bag out; then the service's document says 0 USD. */
type AnyBag = { readonly [Money in keyof MoneyBag]?: Partial<MoneyBag[Money]> };

function centsOf({ shop_money: { amount = 0 } = {} }: AnyBag): number {
  return Math.round(amount * 100);
}

export function presentmentOf({ presentment_money: { currency_code } = {} }: AnyBag): Currency {
  return currency_code === 'EUR' ? 'EUR' : 'USD';
}

/** The sum of the items' prices. */
export function sumOf(
  items: readonly Pick<StoredExchange, 'total' | 'tax_total'>[],
  field: 'total' | 'tax_total',
  presentment: Currency,
): MoneyBag {
  return moneyBag(
    items.reduce((sum, item) => sum + centsOf(item[field]), 0),
    presentment,
  );
}

export function suggestedRefund(
  { returns, exchange_line_items }: Pick<StoredGroup, 'returns' | 'exchange_line_items'>,
  presentment: Currency,
): StoredGroup['suggested_refund'] {
  const kept = returns.filter((item) => item.status !== 'CANCELED');
  const replaced = exchange_line_items.filter((exchange) => exchange.status !== 'CANCELED');
  const returned = sumOf(kept, 'total', presentment);
  const exchanged = sumOf(replaced, 'total', presentment);
  const due = Math.max(0, centsOf(returned) - centsOf(exchanged) - SHIPPING_FEE);
  return {
    type: 'suggested_refund',
    refund_total: moneyBag(due, presentment),
    return_total: returned,
    return_tax_total: sumOf(kept, 'tax_total', presentment),
    exchange_total: exchanged,
    exchange_tax_total: sumOf(replaced, 'tax_total', presentment),
    handling_fee: moneyBag(0, presentment),
    shipping_fee: moneyBag(SHIPPING_FEE, presentment),
    store_credit_incentive: moneyBag(STORE_CREDIT_INCENTIVE, presentment),
  };
}
