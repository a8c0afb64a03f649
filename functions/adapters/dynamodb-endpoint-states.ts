// The state of each webhook's endpoint, one item in the table of marks: `<webhook>#endpoint`. `n` counts the writes, `b`
// holds the rest as JSON, because nothing else reads its fields. Nothing else lists the URLs that `watch` forwards to, so
// the items of these are in the table's index, under a name that no destination has.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import { TABLES } from '../../shared/deployment/tables.ts';
import { type EndpointState, endpointStateBody } from '../../shared/webhooks/endpoint-state.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { type StoredItem, storedNumber, storedText } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { queryItems } from './dynamodb-pages.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;

export function createDynamoDbEndpointStates(options: TableAccess<'marks'>): EndpointStates {
  const { client, tables } = options;
  return {
    async load(webhook) {
      const item = await readItem(client, tables.marks, { k: { S: endpointKey(webhook) } });
      return item && readStored(item, { [FORMAT]: readFormat1 });
    },
    save(webhook, { version: _, ...fields }, expectedVersion) {
      const listed = webhook.startsWith(FORWARD_PREFIX)
        ? { [INDEX.partitionKey.name]: { S: FORWARD_PREFIX } }
        : {};
      const attributes = { ...formatAttribute(FORMAT), b: { S: JSON.stringify(fields) }, ...listed };
      const item = { table: tables.marks, key: endpointKey(webhook), attributes };
      return putNextVersion(options, item, expectedVersion);
    },
  };
}

/** The names of the URLs that `watch` ever forwarded to, sorted. */
export async function listForwardIds(client: DynamoDBClient, table: string): Promise<string[]> {
  const ids: string[] = [];
  const items = queryItems(client, {
    TableName: table,
    IndexName: INDEX.name,
    KeyConditionExpression: `${INDEX.partitionKey.name} = :forwarded`,
    ExpressionAttributeValues: { ':forwarded': { S: FORWARD_PREFIX } },
  });
  for await (const found of items) ids.push(keyed.parse(found).k.slice(0, -ENDING.length));
  return ids;
}

const { index: INDEX } = TABLES.marks;
const ENDING = '#endpoint';
const keyed = z.object({ k: storedText });

function endpointKey(webhook: string): string {
  return `${webhook}${ENDING}`;
}

const item = z.object({ n: storedNumber, b: storedText });

function readFormat1(attributes: StoredItem): EndpointState {
  const { n: version, b: body } = item.parse(attributes);
  return { ...endpointStateBody.parse(JSON.parse(body)), version };
}
