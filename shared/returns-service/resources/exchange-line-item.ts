import * as z from 'zod';
import type { Lenient, Read } from './as-read.ts';
import { EXCHANGE_STATUSES, openEnumeration } from './enumerations.ts';
import { documentedMoneyBagSchema, type MoneyBag } from './money.ts';

export const documentedExchangeLineItemSchema = z.object({
  type: z.literal('exchange_line_item').default('exchange_line_item'),
  /** A text, unlike all other ids. */
  id: z.string(),
  /** Only set for exchanges made through the exchange API, once processed. */
  line_item_platform_id: z.string().nullable(),
  product_platform_id: z.string(),
  product_name: z.string(),
  variant_platform_id: z.string(),
  variant_name: z.string(),
  sku: z.string().nullish(),
  status: openEnumeration(EXCHANGE_STATUSES),
  quantity: z.int(),
  subtotal: documentedMoneyBagSchema,
  discounted_subtotal: documentedMoneyBagSchema,
  discount_total: documentedMoneyBagSchema,
  tax_total: documentedMoneyBagSchema,
  /** A percentage, not a fraction. */
  tax_percentage: z.number(),
  total: documentedMoneyBagSchema,
});
export type DocumentedExchangeLineItem = z.infer<typeof documentedExchangeLineItemSchema>;

/** An exchange line item as read. */
export type ExchangeLineItem = Read<
  DocumentedExchangeLineItem,
  'id' | 'status',
  | 'line_item_platform_id'
  | 'product_platform_id'
  | 'product_name'
  | 'variant_platform_id'
  | 'variant_name'
  | 'sku'
  | 'quantity'
> & { readonly total?: Lenient<MoneyBag> };
