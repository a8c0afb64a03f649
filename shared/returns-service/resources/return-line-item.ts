import * as z from 'zod';
import { openEnumeration, RETURN_STATUSES, type ReturnStatus, RMA_PLATFORMS } from './enumerations.ts';
import {
  context,
  documentedTimestamp,
  type Fields,
  identifier,
  indispensableStatus,
  readText,
  watchedIdentifier,
  watchedInteger,
  watchedText,
  watchedTexts,
} from './fields.ts';
import { documentedMoneyBagSchema, readMoneyBag } from './money.ts';
import { documentedQuestionAnswerSchema } from './question-answer.ts';
import { documentedReturnReasonSchema, readReturnReason } from './return-reason.ts';

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

export const returnLineItemSchema = z.object({
  id: identifier,
  platform_id: context(readText),
  created_at: context(readText),
  status: indispensableStatus as z.ZodType<ReturnStatus>,
  shipment_id: watchedIdentifier,
  platform_refund_transaction_ids: watchedTexts,
  platform_line_item_id: context(readText),
  product_platform_id: context(readText),
  product_name: context(readText),
  variant_platform_id: context(readText),
  variant_name: context(readText),
  sku: context(readText),
  barcode: context(readText),
  quantity: watchedInteger,
  return_reason_details: context(readReturnReason),
  total: context(readMoneyBag),
  last_rma_number: watchedText,
  last_rma_provider: watchedText,
} satisfies Fields<DocumentedReturnLineItem>);

/** A returned line item as read. */
export type ReturnLineItem = Readonly<z.infer<typeof returnLineItemSchema>>;
