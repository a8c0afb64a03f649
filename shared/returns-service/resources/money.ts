import * as z from 'zod';
import { CURRENCY_CODES, type CurrencyCode } from './currency-codes.ts';
import { openEnumeration } from './enumerations.ts';
import { type Lenient, readNumber, readObject, readText, watchedNumber, watchedText } from './fields.ts';

export const documentedMoneySchema = z.object({
  amount: z.number().default(0),
  currency_code: openEnumeration(CURRENCY_CODES).default('USD'),
});

export const documentedMoneyBagSchema = z.object({
  /** In the shop's currency. */
  shop_money: documentedMoneySchema.optional(),
  /** In the customer's currency. */
  presentment_money: documentedMoneySchema.optional(),
});
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

const watchedMoney = z.object({ amount: watchedNumber, currency_code: watchedText }).nullish();

/** Where an amount decides what is published (refunds), another shape makes the row unreadable. */
export const watchedMoneyBag = z
  .object({ shop_money: watchedMoney, presentment_money: watchedMoney })
  .nullish();

function readMoney(value: unknown): Lenient<Money> {
  return readObject(value, (money) => ({
    amount: readNumber(money.amount),
    currency_code: readText(money.currency_code),
  }));
}

export function readMoneyBag(value: unknown): Lenient<MoneyBag> {
  return readObject(value, (bag) => ({
    shop_money: readMoney(bag.shop_money),
    presentment_money: readMoney(bag.presentment_money),
  }));
}
