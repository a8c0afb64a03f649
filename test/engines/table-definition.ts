// The requests that create a table of shared/deployment/tables.ts and its index.
import type {
  AttributeDefinition,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import type { IndexShape, KeyAttribute, TableShape } from '../../shared/deployment/tables.ts';

export function definitionOf(name: string, shape: TableShape): CreateTableCommandInput {
  const { partitionKey, sortKey, index } = shape;
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(partitionKey, sortKey),
    AttributeDefinitions: attributesOf(shape),
    ...(index && { GlobalSecondaryIndexes: [indexOf(index)] }),
  };
}

/** Each attribute of a key, once: the index may sort by the table's own key. */
function attributesOf({ partitionKey, sortKey, index }: TableShape): AttributeDefinition[] {
  const types = new Map<string, KeyAttribute['type']>();
  for (const attribute of [partitionKey, sortKey, index?.partitionKey, index?.sortKey])
    if (attribute !== undefined) types.set(attribute.name, attribute.type);
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

function indexOf({ name, partitionKey, sortKey, includes }: IndexShape): GlobalSecondaryIndex {
  return {
    IndexName: name,
    KeySchema: keySchema(partitionKey, sortKey),
    Projection:
      includes === undefined
        ? { ProjectionType: 'KEYS_ONLY' }
        : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...includes] },
  };
}

function keySchema(partitionKey: KeyAttribute, sortKey: KeyAttribute | undefined): KeySchemaElement[] {
  const partition: KeySchemaElement = { AttributeName: partitionKey.name, KeyType: 'HASH' };
  return sortKey === undefined ? [partition] : [partition, { AttributeName: sortKey.name, KeyType: 'RANGE' }];
}
