import * as z from 'zod';
import type { Read } from './as-read.ts';

export const documentedCustomerSchema = z.object({
  type: z.literal('customer').default('customer'),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
});
export type DocumentedCustomer = z.infer<typeof documentedCustomerSchema>;

/** A customer as read. Personal: never published unless the source's settings ask for it. */
export type Customer = Read<DocumentedCustomer, never, 'name' | 'email' | 'phone'>;
