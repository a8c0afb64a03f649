// SDK clients for engines on this machine, and helpers for tests.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';

const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export const connectDynamoDb = (endpoint: string) => new DynamoDBClient({ ...LOCAL, endpoint });
export const connectStreams = (endpoint: string) => new DynamoDBStreamsClient({ ...LOCAL, endpoint });
// Without `endpoint`, as in the product: the SDK then sends to the address in the queue's URL.
export const connectSqs = (endpoint: string) => {
  process.env.AWS_ENDPOINT_URL_SQS = endpoint;
  return new SQSClient(LOCAL);
};

/** @returns the name of a new table with the keys `pk` and `sk` and a stream of new images. */
export async function createStreamedTable(client: DynamoDBClient): Promise<string> {
  const name = `table-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  return name;
}

/** Writes items in one transaction; items with existing keys are overwritten. */
export async function putTogether(
  client: DynamoDBClient,
  table: string,
  pk: string,
  sortKeys: readonly number[],
): Promise<void> {
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: sortKeys.map((sk) => ({
        Put: {
          TableName: table,
          Item: { pk: { S: pk }, sk: { N: String(sk) }, body: { B: Buffer.from(`${pk}/${sk}`) } },
        },
      })),
    }),
  );
}

/** @returns the URL of a new queue; a FIFO queue has the suffix. */
export async function createQueue(
  client: SQSClient,
  { fifo = false, attributes = {} }: { fifo?: boolean; attributes?: Record<string, string> } = {},
): Promise<string> {
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: `${randomUUID()}${fifo ? '.fifo' : ''}`,
      Attributes: { ...(fifo ? { FifoQueue: 'true' } : {}), ...attributes },
    }),
  );
  return QueueUrl ?? '';
}

/** Sends bodies in order; on a FIFO queue the part before the first slash is the group. */
export async function sendAll(client: SQSClient, queueUrl: string, bodies: readonly string[]): Promise<void> {
  const fifo = queueUrl.endsWith('.fifo');
  await client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: bodies.map((body, index) => ({
        Id: String(index),
        MessageBody: body,
        ...(fifo && { MessageGroupId: body.split('/')[0], MessageDeduplicationId: body }),
      })),
    }),
  );
}
