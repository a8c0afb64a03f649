import * as z from 'zod';
import { documentedTimestamp, type Lenient, readIdentifier, readObject, readText } from './fields.ts';

export const documentedOrderSchema = z.object({
  type: z.literal('order').default('order'),
  id: z.int(),
  platform_id: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  created_at: documentedTimestamp,
  source_name: z.string().nullish(),
  fulfilled_at: documentedTimestamp.nullish(),
  taxes_included: z.boolean(),
});
export type DocumentedOrder = z.infer<typeof documentedOrderSchema>;

/** What is read of an order; its tags may be anybody's words. */
export interface Order {
  readonly id?: Lenient<number>;
  readonly platform_id?: Lenient<string>;
  readonly name?: Lenient<string>;
}

export function readOrder(value: unknown): Lenient<Order> {
  return readObject(value, (order) => ({
    id: readIdentifier(order.id),
    platform_id: readText(order.platform_id),
    name: readText(order.name),
  }));
}
