// The values that returns-data-service.md lists ("Enumerations"). They are open: third parties appear as placeholders,
// and a service may add values. So a schema accepts any text, and drift.ts reports unlisted ones.
import * as z from 'zod';

/** One of the listed values, or any other text. */
export type Open<Listed extends string> = Listed | (string & {});

export const RETURN_METHODS = [
  'TRADITIONAL',
  'SELF_SHIP',
  'STORE_DROP_OFF',
  '<PARTNER_METHOD_1>',
  '<PARTNER_METHOD_2>',
  '<PARTNER_METHOD_3>',
  '<PARTNER_METHOD_4>',
] as const;

export const CREDIT_METHODS = ['STORE_CREDIT', 'ORIGINAL_PAYMENT_METHOD'] as const;

export const RETURN_OUTCOMES = [
  'credit',
  'refund',
  'exchange+refund',
  'exchange',
  'exchange+credit',
  'upsell',
] as const;

export const SHIPMENT_STATUSES = [
  'DRAFT',
  'CREATED',
  'IN_TRANSIT',
  'DELIVERED',
  'FAILED',
  'CANCELED',
  'UNKNOWN',
] as const;

/** InternalReturnStatus in the document. */
export const RETURN_STATUSES = ['IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'] as const;

/** ExchangeLineItemStatus in the document. */
export const EXCHANGE_STATUSES = ['UNPROCESSED', 'PROCESSED', 'CANCELED'] as const;

export const RMA_PLATFORMS = [
  'MANUAL',
  '<PARTNER_RMA_1>',
  '<PARTNER_RMA_2>',
  '<PARTNER_RMA_3>',
  '<PARTNER_RMA_4>',
  '<PARTNER_RMA_5>',
  '<PARTNER_RMA_6>',
  '<PARTNER_RMA_7>',
] as const;

export const QUESTION_TYPES = ['TEXT', 'SELECT'] as const;

/** A schema that lists its values for documentation, and also accepts any other text. */
export function openEnumeration<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<Open<Values[number]>> {
  return z.union([z.enum(values), z.string()]);
}
