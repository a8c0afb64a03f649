// A memory in a DynamoDB table: Powertools' idempotency for what was handled, and an item for each subject that notes
// the newest position. Both have the same key and expire by the same attribute, so that one table holds them.
// https://docs.aws.amazon.com/powertools/typescript/latest/features/idempotency/
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { SUBSCRIBER_TABLE } from '../../shared/subscriber-table.ts';
import type { MemoryKey, SubscriberMemory } from './subscriber-memory.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** As long as the ledger keeps an event, and can so send it again. */
const EVENT_SECONDS = 30 * DAY_SECONDS;
/** Longer than any archive is likely to be replayed from; counted anew with each event of the subject. */
const POSITION_SECONDS = 400 * DAY_SECONDS;

const ID = SUBSCRIBER_TABLE.partitionKey.name;

export interface TableMemoryOptions {
  readonly tableName: string;
  /** @default one made from the environment */
  readonly client?: DynamoDBClient;
}

export function createTableMemory({
  tableName,
  client = new DynamoDBClient(),
}: TableMemoryOptions): SubscriberMemory {
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName,
    awsSdkV3Client: client,
    keyAttr: ID,
    expiryAttr: SUBSCRIBER_TABLE.timeToLive,
  });

  async function once(key: MemoryKey, run: () => Promise<void>, remainingMs: () => number): Promise<boolean> {
    // A record that is in progress counts until the invocation's time is up: so long nobody else may try.
    const config = new IdempotencyConfig({ expiresAfterSeconds: EVENT_SECONDS, hashFunction: 'sha256' });
    config.registerLambdaContext({ getRemainingTimeInMillis: remainingMs } as never);
    let ran = false;
    const runOnce = makeIdempotent(
      async (_id: string) => {
        await run();
        ran = true;
      },
      { persistenceStore, config, keyPrefix: key.subscriber },
    );
    await runOnce(key.of);
    return ran;
  }

  async function newest(key: MemoryKey): Promise<string | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: { [ID]: { S: itemId(key) } }, ConsistentRead: true }),
    );
    return Item?.position?.S;
  }

  async function advance(key: MemoryKey, position: string): Promise<void> {
    const expiration = Math.floor(Date.now() / 1000) + POSITION_SECONDS;
    const command = new PutItemCommand({
      TableName: tableName,
      Item: {
        [ID]: { S: itemId(key) },
        position: { S: position },
        [SUBSCRIBER_TABLE.timeToLive]: { N: String(expiration) },
      },
      ConditionExpression: 'attribute_not_exists(#id) OR #position < :position',
      ExpressionAttributeNames: { '#id': ID, '#position': 'position' },
      ExpressionAttributeValues: { ':position': { S: position } },
    });
    try {
      await client.send(command);
    } catch (error) {
      // A newer one is noted already.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  return { once, newest, advance };
}

/** Powertools' keys are `<subscriber>#<hash>`; a function's name holds no slash. */
function itemId({ subscriber, of }: MemoryKey): string {
  return `newest/${subscriber}/${of}`;
}
