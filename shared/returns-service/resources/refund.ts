import * as z from 'zod';
import type { Lenient, Read } from './as-read.ts';
import { documentedMoneyBagSchema, type MoneyBag } from './money.ts';

export const documentedRefundTransactionSchema = z.object({
  type: z.literal('refund_transaction').default('refund_transaction'),
  /** On the payment platform. */
  platform_id: z.string().nullish(),
  amount: documentedMoneyBagSchema,
  gateway: z.string().nullish(),
});
export type DocumentedRefundTransaction = z.infer<typeof documentedRefundTransactionSchema>;

/** A refund transaction as read. */
export type RefundTransaction = Read<DocumentedRefundTransaction, never, 'platform_id' | 'gateway'> & {
  readonly amount?: Lenient<MoneyBag>;
};

export const documentedSuggestedRefundSchema = z.object({
  type: z.literal('suggested_refund').default('suggested_refund'),
  refund_total: documentedMoneyBagSchema,
  /** Value of the returned items. */
  return_total: documentedMoneyBagSchema,
  return_tax_total: documentedMoneyBagSchema,
  /** Value of the exchanged items. */
  exchange_total: documentedMoneyBagSchema,
  exchange_tax_total: documentedMoneyBagSchema,
  handling_fee: documentedMoneyBagSchema,
  shipping_fee: documentedMoneyBagSchema,
  store_credit_incentive: documentedMoneyBagSchema,
});
