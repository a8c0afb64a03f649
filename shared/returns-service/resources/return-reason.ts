import * as z from 'zod';
import type { Read } from './as-read.ts';

export const documentedReturnReasonSchema = z.object({
  type: z.literal('return_reason').default('return_reason'),
  value: z.string(),
  label: z.string(),
  /** Place in the tree of reasons, as values. */
  path: z.array(z.string()),
  path_labels: z.array(z.string()),
  note: z.string().nullable(),
});
export type DocumentedReturnReason = z.infer<typeof documentedReturnReasonSchema>;

/** A reason as read; its note is the customer's own words. */
export type ReturnReason = Read<DocumentedReturnReason, never, 'value' | 'label'>;
