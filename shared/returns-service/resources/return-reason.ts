import * as z from 'zod';
import { type Lenient, readObject, readText } from './fields.ts';

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

/** What is read of a reason; its note is the customer's own words. */
export interface ReturnReason {
  readonly value?: Lenient<string>;
  readonly label?: Lenient<string>;
}

export function readReturnReason(value: unknown): Lenient<ReturnReason> {
  return readObject(value, (reason) => ({ value: readText(reason.value), label: readText(reason.label) }));
}
