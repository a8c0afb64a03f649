// Objects as they come back from JSON, which leaves out what is undefined: a field that may be undefined is there
// all the same, so that what is read is to the letter what was written.
import * as z from 'zod';

export function storedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const absent: object = Object.fromEntries(Object.keys(shape).map((name) => [name, undefined]));
  return z.object(shape).transform((value) => ({ ...absent, ...value }));
}

/** A field of such an object that may be undefined. */
export function maybe<Value>(schema: z.ZodType<Value>) {
  return schema.optional() as z.ZodType<Value | undefined>;
}
