// Objects as read back from JSON, which leaves out undefined values: fields that may be undefined are added again, so
// that the result equals exactly what was written.
import * as z from 'zod';
import type { Instant } from '../instant.ts';

export function storedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const absent: object = Object.fromEntries(Object.keys(shape).map((name) => [name, undefined]));
  return z.object(shape).transform((value) => ({ ...absent, ...value }));
}

/** A field of such an object that may be undefined. */
export function maybe<Value>(schema: z.ZodType<Value>) {
  return schema.optional() as z.ZodType<Value | undefined>;
}

export const instant: z.ZodType<Instant> = z.number();

/** The type of the values that a schema of stored values parses. */
export type Stored<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;
