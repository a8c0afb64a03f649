import * as z from 'zod';

export const documentedAddressSchema = z.object({
  address1: z.string(),
  address2: z.string().nullish(),
  city: z.string(),
  province: z.string().nullable(),
  zip: z.string(),
  country: z.string(),
});
export type DocumentedAddress = z.infer<typeof documentedAddressSchema>;
