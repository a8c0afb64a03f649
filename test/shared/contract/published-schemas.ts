// The contract for readers without zod: a JSON Schema (draft 2020-12) for each type of event and its version. Schemas
// are open: a field that is added later must not make a reader reject the event.
import * as z from 'zod';
import { DATA_VERSIONS, type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import { EVENT_SCHEMAS, type EventType } from '../../../shared/contract/event.ts';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export const EVENT_TYPES = Object.keys(EVENT_SCHEMAS) as EventType[];

/** `<type>.<version>.json`: a new version gets its own file, and the file of the last version stays. */
export function fileNameOf(type: EventType): string {
  return `${type}.${DATA_VERSIONS[kindOf(type)]}.json`;
}

export function kindOf(type: EventType): EventKind {
  return type.split('.')[0] as EventKind;
}

export function publishedSchema(type: EventType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(EVENT_SCHEMAS[type], { io: 'input' }) as JsonSchema;
  const dataschema = { const: formatDataSchema(kindOf(type)) };
  return {
    $schema,
    $id: `urn:returns-change-feed:schema:${type}:${DATA_VERSIONS[kindOf(type)]}`,
    title: type,
    ...schema,
    properties: { ...schema.properties, dataschema },
  };
}
