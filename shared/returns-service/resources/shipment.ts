import * as z from 'zod';
import { documentedAddressSchema } from './address.ts';
import { openEnumeration, SHIPMENT_STATUSES, type ShipmentStatus } from './enumerations.ts';
import {
  context,
  documentedTimestamp,
  type Fields,
  identifier,
  indispensableStatus,
  readText,
  watchedIdentifiers,
  watchedText,
} from './fields.ts';

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

export const shipmentSchema = z.object({
  id: identifier,
  status: indispensableStatus as z.ZodType<ShipmentStatus>,
  carrier: watchedText,
  tracking_number: watchedText,
  created_at: context(readText),
  shipped_at: watchedText,
  delivered_at: watchedText,
  return_ids: watchedIdentifiers,
} satisfies Fields<DocumentedShipment>);

/** A shipment as read. */
export type Shipment = Readonly<z.infer<typeof shipmentSchema>>;
