import * as z from 'zod';

/** The body of a 422 (returns-data-service.md, "Errors"). */
export const documentedValidationErrorSchema = z.object({
  detail: z.array(
    z.object({
      /** Where the faulty parameter is, such as `["query", "limit"]`. */
      loc: z.array(z.union([z.string(), z.int()])),
      msg: z.string(),
      type: z.string(),
    }),
  ),
});
