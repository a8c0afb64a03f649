// The service may send a status that its document does not list (returns-data-service.md, "Enumerations"); such a value
// is passed on, never rejected. Editors still complete the listed ones.
import * as z from 'zod';

/** One of the listed values, or another that the service has added since. */
export type OpenValue<Listed extends string> = Listed | (string & {});

/** A schema that accepts any text and names the listed values as examples. */
export function openValue<const Listed extends string>(...listed: Listed[]): z.ZodType<OpenValue<Listed>> {
  return z.string().meta({ examples: listed }) as unknown as z.ZodType<OpenValue<Listed>>;
}
