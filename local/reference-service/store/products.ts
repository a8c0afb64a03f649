// Products with prices. A million groups share a few hundred variants, so each is made once.

import { COLOURS, PRODUCTS, SIZES } from './catalogue.ts';
import { moneyBag } from './money.ts';
import type { Random } from './seeded-random.ts';
import type { StoredProduct } from './stored-group.ts';

const TAX_PERCENTAGE = 8.25;
const DISCOUNT = 0.15;

const made = new Map<string, StoredProduct>();

export function someProduct(random: Random, quantity: number, presentment: 'USD' | 'EUR'): StoredProduct {
  const product = random.below(PRODUCTS.length);
  const colour = random.below(COLOURS.length);
  const size = random.below(SIZES.length);
  const isReduced = random.chance(0.25);
  const variant = product * 100 + colour * 10 + size;
  const key = `${variant} ${quantity} ${isReduced} ${presentment}`;
  const known = made.get(key) ?? makeProduct(variant, quantity, isReduced ? DISCOUNT : 0, presentment);
  made.set(key, known);
  return known;
}

function makeProduct(
  variant: number,
  quantity: number,
  reduction: number,
  presentment: 'USD' | 'EUR',
): StoredProduct {
  const number = 810_000 + Math.floor(variant / 100);
  const { name, code, price } = PRODUCTS[Math.floor(variant / 100)] ?? PRODUCTS[0];
  const colour = COLOURS[Math.floor(variant / 10) % 10] ?? COLOURS[0];
  const size = SIZES[variant % 10] ?? SIZES[0];
  const subtotal = price * quantity;
  const discount = Math.round(subtotal * reduction);
  const tax = Math.round(((subtotal - discount) * TAX_PERCENTAGE) / 100);
  return {
    product_platform_id: `gid://platform/Product/${number}`,
    product_name: name,
    variant_platform_id: `gid://platform/Variant/${number * 100 + (variant % 100)}`,
    variant_name: `${colour} / ${size}`,
    sku: `${code}-${colour.slice(0, 3).toUpperCase()}-${size}`,
    subtotal: moneyBag(subtotal, presentment),
    discounted_subtotal: moneyBag(subtotal - discount, presentment),
    discount_total: moneyBag(discount, presentment),
    tax_total: moneyBag(tax, presentment),
    tax_percentage: TAX_PERCENTAGE,
    total: moneyBag(subtotal - discount + tax, presentment),
  };
}
