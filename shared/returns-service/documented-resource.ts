// The document as a tree that a row can be held against: which fields each resource has, what they may say, and
// which resource stands in them. Asked of the documented schemas, so that it is written down in one place.
import * as z from 'zod';
import { documentedReturnGroupSchema } from './resources/return-group.ts';

export interface DocumentedResource {
  /** As in the document's `type`, or the field's name where it has none. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, DocumentedField>;
}

export interface DocumentedField {
  /** The values listed for an enumeration. */
  readonly values?: ReadonlySet<string>;
  /** What stands in the field, alone or in an array. */
  readonly resource?: DocumentedResource;
}

let returnGroup: DocumentedResource | undefined;

/** Built when first asked for: a poller that never meets drift should not wait for it. */
export function documentedReturnGroup(): DocumentedResource {
  returnGroup ??= describeResource('return_group', documentedReturnGroupSchema);
  return returnGroup;
}

function describeResource(name: string, schema: z.ZodObject): DocumentedResource {
  const fields = new Map<string, DocumentedField>();
  for (const [field, type] of Object.entries(schema.shape)) fields.set(field, describeField(field, type));
  return { name, fields };
}

function describeField(name: string, type: z.core.$ZodType): DocumentedField {
  const inner = withoutWrappers(type);
  if (inner instanceof z.ZodObject) return { resource: describeResource(nameOf(inner) ?? name, inner) };
  if (!(inner instanceof z.ZodUnion)) return {};
  const listed = inner.options.find((option) => option instanceof z.ZodEnum);
  return listed === undefined ? {} : { values: new Set(listed.options.map(String)) };
}

function withoutWrappers(type: z.core.$ZodType): z.core.$ZodType {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault) {
    return withoutWrappers(type.unwrap());
  }
  return type instanceof z.ZodArray ? withoutWrappers(type.element) : type;
}

function nameOf(schema: z.ZodObject): string | undefined {
  const type = withoutWrappers(schema.shape.type ?? z.unknown());
  return type instanceof z.ZodLiteral ? String(type.value) : undefined;
}
