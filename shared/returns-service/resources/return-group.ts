// The return group as the document promises it, for servers of the API and for drift.ts, and as a type of the fields that
// the feed reads. parse-return-group.ts reads rows without these schemas.
import * as z from 'zod';
import type { Lenient, Read } from './as-read.ts';
import { type Customer, documentedCustomerSchema } from './customer.ts';
import { CREDIT_METHODS, openEnumeration, RETURN_METHODS, RETURN_OUTCOMES } from './enumerations.ts';
import { documentedExchangeLineItemSchema, type ExchangeLineItem } from './exchange-line-item.ts';
import { documentedOrderSchema, type Order } from './order.ts';
import {
  documentedRefundTransactionSchema,
  documentedSuggestedRefundSchema,
  type RefundTransaction,
} from './refund.ts';
import { documentedReturnLineItemSchema, type ReturnLineItem } from './return-line-item.ts';
import { documentedShipmentSchema, type Shipment } from './shipment.ts';
import { documentedTimestamp } from './timestamp.ts';

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
/** A return group that keeps every promise of returns-data-service.md ("ReturnGroup"). */
export type DocumentedReturnGroup = z.infer<typeof documentedReturnGroupSchema>;

/**
 * A return group as read: the fields that may be published, under the document's names. Everything but ids, statuses
 * and stamps may be absent, undefined or null. An absent or null array says nothing of its entities; an empty one says
 * that there are none.
 */
export type ReturnGroup = Read<
  DocumentedReturnGroup,
  'id' | 'created_at' | 'updated_at',
  'return_method' | 'credit_method' | 'return_outcome'
> & {
  readonly order?: Lenient<Order>;
  readonly customer?: Lenient<Customer>;
  readonly shipments?: Lenient<readonly Shipment[]>;
  readonly returns?: Lenient<readonly ReturnLineItem[]>;
  readonly exchange_line_items?: Lenient<readonly ExchangeLineItem[]>;
  readonly refund_transactions?: Lenient<readonly RefundTransaction[]>;
};
