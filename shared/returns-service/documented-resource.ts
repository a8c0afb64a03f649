// The document as a tree to compare a row with, read from the documented schemas on first use.
import * as z from 'zod';
import { DOCUMENTED_RESOURCES } from './documented-resources.ts';

export interface DocumentedResource {
  /** As in the document's `type`, or a similar name if it has none. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, DocumentedField>;
}

export interface DocumentedField {
  /** The values listed for an enumeration. */
  readonly values?: ReadonlySet<string>;
  /** The resource in the field, alone or in an array. */
  readonly resource?: DocumentedResource;
}

let returnGroup: DocumentedResource | undefined;

/** Returns the return group and everything in it. */
export function documentedReturnGroup(): DocumentedResource {
  returnGroup ??= resourceOf(DOCUMENTED_RESOURCES.ReturnGroup);
  return returnGroup;
}

function resourceOf(schema: z.ZodObject): DocumentedResource {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, fieldOf(field)] as const);
  return { name: nameOf(schema), fields: new Map(fields) };
}

/** A resource without a `type` has its name in the schema's metadata. */
function nameOf(schema: z.ZodObject): string {
  const { type } = schema.shape;
  const literal = type && withoutWrappers(type);
  return literal instanceof z.ZodLiteral ? String(literal.value) : String(schema.meta()?.title);
}

function fieldOf(schema: z.core.$ZodType): DocumentedField {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodObject) return { resource: resourceOf(inner) };
  const listed =
    inner instanceof z.ZodUnion ? inner.options.find((option) => option instanceof z.ZodEnum) : undefined;
  return listed === undefined ? {} : { values: new Set(listed.options.map(String)) };
}

function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodArray) return withoutWrappers(schema.element);
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? withoutWrappers(schema.unwrap()) : schema;
}
