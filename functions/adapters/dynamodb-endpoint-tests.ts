// The answer to the last test of each webhook, one item in the table of marks: `<webhook>#test`. `b` holds it as JSON.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { maybe, storedObject } from '../../shared/source/stored-object.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type StoredItem, storedText } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { formatAttribute, readStored } from './stored-format.ts';

export interface EndpointTestResult {
  /** The test's id. */
  readonly id: string;
  readonly answer: Answer;
}

export interface EndpointTests {
  /** The result of the webhook's last test; strongly consistent, undefined before the first. */
  load(webhook: string): Promise<EndpointTestResult | undefined>;
  save(webhook: string, result: EndpointTestResult): Promise<void>;
}

const FORMAT = 1;

export function createDynamoDbEndpointTests({
  client,
  tables,
}: Omit<TableAccess<'marks'>, 'clock'>): EndpointTests {
  const keyOf = (webhook: string) => ({ k: { S: `${webhook}#test` } });
  return {
    async load(webhook) {
      const item = await readItem(client, tables.marks, keyOf(webhook));
      return item && readStored(item, { [FORMAT]: readFormat1 });
    },
    async save(webhook, result) {
      const Item = {
        ...keyOf(webhook),
        ...formatAttribute(FORMAT),
        b: { S: JSON.stringify(result) },
      };
      await client.send(new PutItemCommand({ TableName: tables.marks, Item }));
    },
  };
}

const requestMs = z.number();

const format1 = z.object({
  id: z.string(),
  answer: z.union([
    storedObject({ status: z.int(), retryAfter: maybe(z.string()), requestMs }),
    z.object({ failure: z.string(), requestMs }),
  ]),
});

function readFormat1(item: StoredItem): EndpointTestResult {
  return format1.parse(JSON.parse(storedText.parse(item.b)));
}
