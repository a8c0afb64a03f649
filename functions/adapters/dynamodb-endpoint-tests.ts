// The answer to the last test of each webhook, one item in the table of marks: `<webhook>#test`. `b` holds it as JSON.
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { TableNames } from '../../shared/deployment/tables.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type StoredItem, storedText, textValue } from './attribute-values.ts';
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

export interface DynamoDbEndpointTestsOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'marks'>;
}

const FORMAT = 1;

export function createDynamoDbEndpointTests({ client, tables }: DynamoDbEndpointTestsOptions): EndpointTests {
  const keyOf = (webhook: string) => ({ k: textValue(`${webhook}#test`) });
  return {
    async load(webhook) {
      const item = await readItem(client, tables.marks, keyOf(webhook));
      return item && readStored(item, { [FORMAT]: readFormat1 });
    },
    async save(webhook, result) {
      const Item = {
        ...keyOf(webhook),
        ...formatAttribute(FORMAT),
        b: textValue(JSON.stringify(result)),
      };
      await client.send(new PutItemCommand({ TableName: tables.marks, Item }));
    },
  };
}

const requestMs = z.number();

const format1 = z.object({
  id: z.string(),
  answer: z.union([
    z
      .object({ status: z.int(), retryAfter: z.string().optional(), requestMs })
      .transform(({ retryAfter, ...rest }) => ({ ...rest, retryAfter })),
    z.object({ failure: z.string(), requestMs }),
  ]),
});

function readFormat1(item: StoredItem): EndpointTestResult {
  return format1.parse(JSON.parse(storedText.parse(item.b)));
}
