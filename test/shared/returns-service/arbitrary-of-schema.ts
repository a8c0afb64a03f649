// Derives fast-check arbitraries from documented schemas, so that properties cover every field of the document.
import fc from 'fast-check';
import * as z from 'zod';

const stamps = fc.constantFrom(
  '2026-11-20T10:15:02Z',
  '2026-11-20T10:15:02.123456Z',
  '2026-11-20T12:15:02.5+02:00',
  '2026-11-20T10:15:02',
);

/** Values that satisfy the schema, with and without optional fields. */
export function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional) return arbitraryOf(schema.unwrap());
  if (schema instanceof z.ZodDefault) return arbitraryOf(schema.unwrap());
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(schema.unwrap()));
  if (schema instanceof z.ZodArray) return fc.array(arbitraryOf(schema.element), { maxLength: 3 });
  if (schema instanceof z.ZodLiteral) return fc.constant(schema.value);
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(arbitraryOf));
  if (schema instanceof z.ZodObject) return arbitraryOfObject(schema);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumberFormat) return fc.maxSafeNat();
  if (schema instanceof z.ZodNumber)
    return fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
  if (schema instanceof z.ZodString) {
    return schema.meta()?.format === 'date-time' ? stamps : fc.string({ minLength: 1, maxLength: 12 });
  }
  throw new Error(`no arbitrary of ${schema._zod.def.type}`);
}

function arbitraryOfObject(schema: z.ZodObject): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.shape);
  const model = Object.fromEntries(fields.map(([name, type]) => [name, arbitraryOf(type)]));
  const requiredKeys = fields.filter(([, type]) => !isOptional(type)).map(([name]) => name);
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

function isOptional(type: z.core.$ZodType): boolean {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault;
}
