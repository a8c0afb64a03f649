// The state of each webhook's endpoint, one item in the table of marks: `<webhook>#endpoint`. `n` counts the writes, `b`
// holds the rest as JSON, because nothing else reads its fields.
import * as z from 'zod';
import { type EndpointState, endpointStateBody } from '../../shared/webhooks/endpoint-state.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { type StoredItem, storedNumber, storedText } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
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
      const attributes = { ...formatAttribute(FORMAT), b: { S: JSON.stringify(fields) } };
      const item = { table: tables.marks, key: endpointKey(webhook), attributes };
      return putNextVersion(options, item, expectedVersion);
    },
  };
}

function endpointKey(webhook: string): string {
  return `${webhook}#endpoint`;
}

const item = z.object({ n: storedNumber, b: storedText });

function readFormat1(attributes: StoredItem): EndpointState {
  const { n: version, b: body } = item.parse(attributes);
  return { ...endpointStateBody.parse(JSON.parse(body)), version };
}
