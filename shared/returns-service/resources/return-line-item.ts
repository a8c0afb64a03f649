import * as z from 'zod';
import type { Lenient, Read } from './as-read.ts';
import { openEnumeration, RETURN_STATUSES, RMA_PLATFORMS } from './enumerations.ts';
import { documentedMoneyBagSchema, type MoneyBag } from './money.ts';
import { documentedQuestionAnswerSchema } from './question-answer.ts';
import { documentedReturnReasonSchema, type ReturnReason } from './return-reason.ts';
import { documentedTimestamp } from './timestamp.ts';

export const documentedReturnLineItemSchema = z.object({
  type: z.literal('return_line_item').default('return_line_item'),
  id: z.int(),
  platform_id: z.string().nullish(),
  created_at: documentedTimestamp,
  status: openEnumeration(RETURN_STATUSES),
  shipment_id: z.int().nullish(),
  platform_refund_transaction_ids: z.array(z.string()),
  platform_line_item_id: z.string(),
  product_platform_id: z.string(),
  product_name: z.string(),
  variant_platform_id: z.string(),
  variant_name: z.string(),
  sku: z.string().nullish(),
  barcode: z.string().nullish(),
  quantity: z.int(),
  return_reason: z.string().meta({ deprecated: true }),
  return_note: z.string().nullish().meta({ deprecated: true }),
  return_reason_details: documentedReturnReasonSchema,
  questions_answers: z.array(documentedQuestionAnswerSchema),
  /** Before discounts and taxes. */
  subtotal: documentedMoneyBagSchema,
  /** After discounts, before taxes. */
  discounted_subtotal: documentedMoneyBagSchema,
  discount_total: documentedMoneyBagSchema,
  tax_total: documentedMoneyBagSchema,
  tax_percentage: z.number(),
  /** With taxes and discounts. */
  total: documentedMoneyBagSchema,
  last_rma_number: z.string().nullish(),
  last_rma_provider: openEnumeration(RMA_PLATFORMS).nullish(),
});
export type DocumentedReturnLineItem = z.infer<typeof documentedReturnLineItemSchema>;

/** A returned line item as read. */
export type ReturnLineItem = Read<
  DocumentedReturnLineItem,
  'id' | 'status',
  | 'platform_id'
  | 'created_at'
  | 'shipment_id'
  | 'platform_refund_transaction_ids'
  | 'platform_line_item_id'
  | 'product_platform_id'
  | 'product_name'
  | 'variant_platform_id'
  | 'variant_name'
  | 'sku'
  | 'barcode'
  | 'quantity'
  | 'last_rma_number'
  | 'last_rma_provider'
> & {
  readonly return_reason_details?: Lenient<ReturnReason>;
  readonly total?: Lenient<MoneyBag>;
};
