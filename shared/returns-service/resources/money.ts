import * as z from 'zod';
import type { Lenient } from './as-read.ts';
import { CURRENCY_CODES, type CurrencyCode } from './currency-codes.ts';
import { openEnumeration } from './enumerations.ts';

export const documentedMoneySchema = z
  .object({
    amount: z.number().default(0),
    currency_code: openEnumeration(CURRENCY_CODES).default('USD'),
  })
  .meta({ title: 'money' });

export const documentedMoneyBagSchema = z
  .object({
    /** In the shop's currency. */
    shop_money: documentedMoneySchema.optional(),
    /** In the customer's currency. */
    presentment_money: documentedMoneySchema.optional(),
  })
  .meta({ title: 'money_bag' });
export type DocumentedMoneyBag = z.infer<typeof documentedMoneyBagSchema>;

/** An amount as read; the document's defaults (0, USD) are not filled in. */
export interface Money {
  readonly amount?: Lenient<number>;
  readonly currency_code?: Lenient<CurrencyCode>;
}

export interface MoneyBag {
  readonly shop_money?: Lenient<Money>;
  readonly presentment_money?: Lenient<Money>;
}
