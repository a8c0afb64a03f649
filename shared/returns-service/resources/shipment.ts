import * as z from 'zod';
import { documentedAddressSchema } from './address.ts';
import type { Read } from './as-read.ts';
import { openEnumeration, SHIPMENT_STATUSES } from './enumerations.ts';
import { documentedTimestamp } from './timestamp.ts';

export const documentedShipmentSchema = z.object({
  type: z.literal('shipment').default('shipment'),
  id: z.int(),
  status: openEnumeration(SHIPMENT_STATUSES),
  carrier: z.string().nullish(),
  tracking_number: z.string().nullish(),
  created_at: documentedTimestamp,
  origin_address: documentedAddressSchema.nullish(),
  destination_address: documentedAddressSchema.nullish(),
  shipped_at: documentedTimestamp.nullish(),
  delivered_at: documentedTimestamp.nullish(),
  /** The owning return group. */
  return_group_id: z.int().nullish(),
  /** The return line items on this shipment. */
  return_ids: z.array(z.int()).optional(),
});
export type DocumentedShipment = z.infer<typeof documentedShipmentSchema>;

/** A shipment as read. */
export type Shipment = Read<
  DocumentedShipment,
  'id' | 'status',
  'carrier' | 'tracking_number' | 'created_at' | 'shipped_at' | 'delivered_at' | 'return_ids'
>;
