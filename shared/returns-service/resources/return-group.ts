// The return group, twice: what the document promises (for who serves it), and what the feed takes (for who reads
// it). Read it with parse-return-group.ts, which also checks what a schema alone can't say.
import * as z from 'zod';
import { documentedCustomerSchema, readCustomer } from './customer.ts';
import { CREDIT_METHODS, openEnumeration, RETURN_METHODS, RETURN_OUTCOMES } from './enumerations.ts';
import { documentedExchangeLineItemSchema, exchangeLineItemSchema } from './exchange-line-item.ts';
import {
  context,
  documentedTimestamp,
  type Fields,
  identifier,
  indispensableStamp,
  watchedText,
} from './fields.ts';
import { documentedOrderSchema, readOrder } from './order.ts';
import {
  documentedRefundTransactionSchema,
  documentedSuggestedRefundSchema,
  refundTransactionSchema,
} from './refund.ts';
import { documentedReturnLineItemSchema, returnLineItemSchema } from './return-line-item.ts';
import { documentedShipmentSchema, shipmentSchema } from './shipment.ts';

export const documentedReturnGroupSchema = z.object({
  type: z.literal('return_group').default('return_group'),
  id: z.int(),
  return_method: openEnumeration(RETURN_METHODS),
  credit_method: openEnumeration(CREDIT_METHODS).nullish(),
  created_at: documentedTimestamp,
  updated_at: documentedTimestamp,
  return_outcome: openEnumeration(RETURN_OUTCOMES).nullable(),
  order: documentedOrderSchema,
  customer: documentedCustomerSchema,
  shipments: z.array(documentedShipmentSchema),
  returns: z.array(documentedReturnLineItemSchema),
  exchange_line_items: z.array(documentedExchangeLineItemSchema),
  refund_transactions: z.array(documentedRefundTransactionSchema),
  suggested_refund: documentedSuggestedRefundSchema,
});
/** A return group with every promise of returns-data-service.md kept ("ReturnGroup"). */
export type DocumentedReturnGroup = z.infer<typeof documentedReturnGroupSchema>;

export const returnGroupSchema = z.object({
  id: identifier,
  return_method: watchedText,
  credit_method: watchedText,
  created_at: indispensableStamp,
  updated_at: indispensableStamp,
  return_outcome: watchedText,
  order: context(readOrder),
  customer: context(readCustomer),
  shipments: z.array(shipmentSchema).nullish(),
  returns: z.array(returnLineItemSchema).nullish(),
  exchange_line_items: z.array(exchangeLineItemSchema).nullish(),
  refund_transactions: z.array(refundTransactionSchema).nullish(),
} satisfies Fields<DocumentedReturnGroup>);

/**
 * What is read of a return group: the fields that may be published, under the document's names. Everything but ids,
 * statuses and stamps may be absent, undefined or null. An array of entities that is absent or null says nothing of
 * them; an empty one says there are none.
 */
export type ReturnGroup = Readonly<z.infer<typeof returnGroupSchema>>;
