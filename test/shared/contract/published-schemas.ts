// The contract for readers without zod: one JSON Schema (draft 2020-12) of all events and messages, from which generators of types make
// one class for each object. Schemas are open: a field that is added later must not make a reader reject the event.
import * as z from 'zod';
import { DATA_VERSIONS, type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { MESSAGE_SCHEMAS, type MessageType } from '../../../shared/contract/return-message.ts';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** All events: `oneOf` by their `type`, each object once in `$defs`. */
export interface SchemaBundle extends JsonSchema {
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

export const EVENT_TYPES = Object.keys(EVENT_SCHEMAS) as (keyof typeof EVENT_SCHEMAS)[];
/** These, and what only webhooks get. */
export const MESSAGE_TYPES = Object.keys(MESSAGE_SCHEMAS) as MessageType[];

export function kindOf(type: MessageType): EventKind {
  return type.split('.')[0] as EventKind;
}

/** The name of an event's class: `ShipmentStatusChanged`. */
export function classNameOf(type: MessageType): string {
  return inPascalCase(type);
}

export function publishedBundle(): SchemaBundle {
  const definitions = new Map<string, JsonSchema>();
  for (const type of MESSAGE_TYPES) define(classNameOf(type), plainSchema(type), definitions, type);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:returns-change-feed:schema:${Math.max(...Object.values(DATA_VERSIONS))}`,
    title: 'Event',
    description: 'An event of the feed: a CloudEvent, whose `type` decides what `data` holds.',
    type: 'object',
    oneOf: MESSAGE_TYPES.map((type) => ({ $ref: `#/$defs/${classNameOf(type)}` })),
    discriminator: { propertyName: 'type' },
    $defs: Object.fromEntries(definitions),
  };
}

/** The same in draft-07, for tools that read nothing newer. */
export function inDraft07({ $defs, discriminator: _, ...bundle }: SchemaBundle): JsonSchema {
  const text = JSON.stringify({ ...bundle, definitions: $defs }).replaceAll('"#/$defs/', '"#/definitions/');
  return { ...JSON.parse(text), $schema: 'http://json-schema.org/draft-07/schema#' };
}

/** The schema of one type without references, as generators and comparisons of versions see it. */
export function schemaOf(bundle: SchemaBundle, type: MessageType): JsonSchema | undefined {
  const schema = bundle.$defs[classNameOf(type)];
  return schema && (resolve(schema, bundle.$defs) as JsonSchema);
}

function resolve(node: unknown, definitions: SchemaBundle['$defs']): unknown {
  if (Array.isArray(node)) return node.map((each) => resolve(each, definitions));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolve(definitions[String(node.$ref).slice('#/$defs/'.length)], definitions);
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(value, definitions)]));
}

function plainSchema(type: MessageType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(MESSAGE_SCHEMAS[type], { io: 'input' }) as JsonSchema;
  const dataschema = { type: 'string', const: formatDataSchema(kindOf(type)) };
  return simplified({ ...schema, properties: { ...schema.properties, dataschema } }) as JsonSchema;
}

/** Without bounds that only restate what a double can hold, and with the shorter form of nullable scalars. */
function simplified(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplified);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(
    ([name, value]) =>
      !((name === 'minimum' || name === 'maximum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER),
  );
  const { anyOf, ...rest } = Object.fromEntries(
    entries.map(([name, value]) => [name, simplified(value)]),
  ) as JsonSchema & { readonly anyOf?: readonly JsonSchema[] };
  const [present, none] = anyOf ?? [];
  if (present === undefined) return rest;
  const isScalar = anyOf?.length === 2 && none?.type === 'null' && present.type !== 'object';
  return isScalar ? { ...present, ...rest, type: [present.type, 'null'] } : { ...rest, anyOf };
}

/** Adds a schema and the objects in it. @returns the reference to it */
function define(
  name: string,
  schema: JsonSchema,
  definitions: Map<string, JsonSchema>,
  type: MessageType,
): JsonSchema {
  const referring = { title: name, ...(referTo(schema, name, definitions, type) as JsonSchema) };
  const known = definitions.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(referring))
    throw new Error(`Two objects of ${type} and another type would be named ${name}: name one in nameOf.`);
  definitions.set(name, referring);
  return { $ref: `#/$defs/${name}` };
}

/** Replaces the objects in a schema by references. */
function referTo(
  schema: JsonSchema,
  owner: string,
  definitions: Map<string, JsonSchema>,
  type: MessageType,
): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([field, value]) => [
    field,
    referenceIn(value, nameOf(owner, field, value, type), definitions, type),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function referenceIn(
  value: JsonSchema,
  name: string,
  definitions: Map<string, JsonSchema>,
  type: MessageType,
): JsonSchema {
  // Of several kinds of entity each has its own class.
  const named = (each: JsonSchema) =>
    name === 'Entities' && each.anyOf === undefined ? entityName(each) : name;
  const refer = (each: JsonSchema) => referenceIn(each, named(each), definitions, type);
  if (Array.isArray(value.anyOf)) return { ...value, anyOf: (value.anyOf as JsonSchema[]).map(refer) };
  if (value.items !== undefined) return { ...value, items: refer(value.items as JsonSchema) };
  return value.properties === undefined ? value : define(name, value, definitions, type);
}

/** The class of an object in a field. Fields of one name hold one class, but for these. */
function nameOf(owner: string, field: string, value: JsonSchema, type: MessageType): string {
  const kind = inPascalCase(kindOf(type));
  const isChange = type.endsWith('.status_changed') || type.endsWith('.updated');
  switch (field) {
    case 'data':
      if (/^feed\.source_(degraded|recovered)$/.test(type)) return 'FeedSourceConditionData';
      return isChange ? `${kind}ChangedData` : `${owner}Data`;
    case 'object':
      if (type === 'return_group.forgotten') return 'ForgottenReturnGroup';
      return entityName(value).replace(/^Source$/, 'SourceCondition');
    case 'return_group':
      if (owner === 'WholeReturn') return entityName(value);
      return Object.keys(value.properties ?? {}).length === 1 ? 'ReturnGroupId' : 'ReturnGroupSummary';
    case 'previous_attributes':
      return `${kind}PreviousAttributes`;
    case 'included':
      return kind === 'Shipment' ? 'IncludedWithShipment' : 'Included';
    case 'return_reason_details':
      return owner === 'ShipmentItem' ? 'ShipmentItemReason' : 'ReturnReason';
    default:
      return NAMES[field] ?? inPascalCase(field);
  }
}

function entityName({ properties }: JsonSchema): string {
  return inPascalCase(String(properties?.type?.const));
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ return: 'WholeReturn', changes: 'ChangeInShort' },
  ...{ items: 'ShipmentItem', shipment: 'ShipmentSummary', reasons: 'Reason' },
  ...{ shop_money: 'Money', presentment_money: 'Money', total: 'MoneyBag', amount: 'MoneyBag' },
  ...{ refund_total: 'MoneyBag', return_total: 'MoneyBag', return_tax_total: 'MoneyBag' },
  ...{ exchange_total: 'MoneyBag', exchange_tax_total: 'MoneyBag' },
};

function inPascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
