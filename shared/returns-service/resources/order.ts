import * as z from 'zod';
import type { Read } from './as-read.ts';
import { documentedTimestamp } from './timestamp.ts';

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

/** An order as read; its tags are left out, because they may hold anything. */
export type Order = Read<DocumentedOrder, never, 'id' | 'platform_id' | 'name'>;
