import * as z from 'zod';

export const documentedAddressSchema = z
  .object({
    address1: z.string(),
    address2: z.string().nullish(),
    city: z.string(),
    province: z.string().nullable(),
    zip: z.string(),
    country: z.string(),
  })
  .meta({ title: 'address' });
