import * as z from 'zod';
import { EXCHANGE_STATUSES, type ExchangeStatus, openEnumeration } from './enumerations.ts';
import {
  context,
  type Fields,
  indispensableStatus,
  readText,
  textIdentifier,
  watchedInteger,
  watchedText,
} from './fields.ts';
import { documentedMoneyBagSchema, readMoneyBag } from './money.ts';

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

export const exchangeLineItemSchema = z.object({
  id: textIdentifier,
  line_item_platform_id: watchedText,
  product_platform_id: context(readText),
  product_name: context(readText),
  variant_platform_id: watchedText,
  variant_name: context(readText),
  sku: context(readText),
  status: indispensableStatus as z.ZodType<ExchangeStatus>,
  quantity: watchedInteger,
  total: context(readMoneyBag),
} satisfies Fields<DocumentedExchangeLineItem>);

/** An exchange line item as read. */
export type ExchangeLineItem = Readonly<z.infer<typeof exchangeLineItemSchema>>;
