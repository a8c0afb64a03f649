import * as z from 'zod';
import { type Lenient, readObject, readText } from './fields.ts';

export const documentedCustomerSchema = z.object({
  type: z.literal('customer').default('customer'),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
});
export type DocumentedCustomer = z.infer<typeof documentedCustomerSchema>;

/** Personal: never published unless the source's settings ask for customer data. */
export interface Customer {
  readonly name?: Lenient<string>;
  readonly email?: Lenient<string>;
  readonly phone?: Lenient<string>;
}

export function readCustomer(value: unknown): Lenient<Customer> {
  return readObject(value, (customer) => ({
    name: readText(customer.name),
    email: readText(customer.email),
    phone: readText(customer.phone),
  }));
}
