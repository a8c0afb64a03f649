// A memory in a DynamoDB table: Powertools' idempotency for handled events, and an item per subject with its newest
// position. Both use the same key and expire by the same attribute, so that one table holds them.
// https://docs.aws.amazon.com/powertools/typescript/latest/features/idempotency/
import type { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient, PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { SUBSCRIBER_TABLE } from '../../shared/deployment/subscriber-table.ts';
import { inProgressError, type MemoryKey, type SubscriberMemory } from './subscriber-memory.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** As long as the ledger keeps an event, and so can send it again. */
const EVENT_SECONDS = 30 * DAY_SECONDS;
/** Longer than the likely age of any replayed archive; restarts with each event of the subject. */
const POSITION_SECONDS = 400 * DAY_SECONDS;

const ID = SUBSCRIBER_TABLE.partitionKey.name;
const EXPIRATION = SUBSCRIBER_TABLE.timeToLive;

export interface TableMemoryOptions {
  readonly tableName: string;
  /** @default one made from the environment */
  readonly client?: DynamoDBClient;
}

/** A memory in a table. Its calls throw an error that names the required packages if one is not installed. */
export function createTableMemory(options: TableMemoryOptions): SubscriberMemory {
  let opened: Promise<SubscriberMemory> | undefined;
  const open = () => {
    opened ??= loadLibraries().then((libraries) => openTable(options, libraries));
    return opened;
  };
  return {
    once: async (key, run, remainingMs) => (await open()).once(key, run, remainingMs),
    newest: async (key) => (await open()).newest(key),
    advance: async (key, position) => (await open()).advance(key, position),
  };
}

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/** Loads the libraries on first use: only a table needs them installed. Bundlers respect `catch`. */
async function loadLibraries() {
  const [idempotency, { DynamoDBPersistenceLayer }, sdk] = await Promise.all([
    import('@aws-lambda-powertools/idempotency').catch(notInstalled),
    import('@aws-lambda-powertools/idempotency/dynamodb').catch(notInstalled),
    import('@aws-sdk/client-dynamodb').catch(notInstalled),
  ]);
  return { idempotency, DynamoDBPersistenceLayer, sdk };
}

function notInstalled(cause: unknown): never {
  const needed = '@aws-lambda-powertools/idempotency, @aws-sdk/client-dynamodb and @aws-sdk/util-dynamodb';
  throw new Error(`\`tableName\` needs ${needed}: install them.`, { cause });
}

function openTable({ tableName, client }: TableMemoryOptions, libraries: Libraries): SubscriberMemory {
  const { idempotency, DynamoDBPersistenceLayer, sdk } = libraries;
  const awsSdkV3Client = client ?? new sdk.DynamoDBClient();
  const attributes = { keyAttr: ID, expiryAttr: EXPIRATION };
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client, ...attributes });
  return {
    once: (key, run, remainingMs) => runOnce(idempotency, persistenceStore, key, run, remainingMs),
    async newest(key) {
      const Key = { [ID]: { S: itemId(key) } };
      const { Item } = await awsSdkV3Client.send(
        new sdk.GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }),
      );
      return Item?.position?.S;
    },
    async advance(key, position) {
      try {
        await awsSdkV3Client.send(new sdk.PutItemCommand(advanceInput(tableName, key, position)));
      } catch (error) {
        // A newer position is noted already.
        if (!(error instanceof sdk.ConditionalCheckFailedException)) throw error;
      }
    },
  };
}

async function runOnce(
  { IdempotencyAlreadyInProgressError, IdempotencyConfig, makeIdempotent }: Libraries['idempotency'],
  persistenceStore: DynamoDBPersistenceLayer,
  key: MemoryKey,
  run: () => Promise<void>,
  remainingMs: () => number,
): Promise<boolean> {
  const config = new IdempotencyConfig({ expiresAfterSeconds: EVENT_SECONDS, hashFunction: 'sha256' });
  // A record in progress counts until the invocation's time is up: nobody else may try until then. The library takes 0 ms
  // for no time limit, and such a record would block the event until it expires.
  const getRemainingTimeInMillis = () => Math.max(1, remainingMs());
  config.registerLambdaContext({ getRemainingTimeInMillis } as never);
  let started = false;
  let ran = false;
  const idempotent = makeIdempotent(
    async (_id: string) => {
      started = true;
      await run();
      ran = true;
    },
    { persistenceStore, config, keyPrefix: key.subscriber },
  );
  try {
    await idempotent(key.of);
  } catch (error) {
    // A handler may use the library itself: its own error of this kind is an ordinary failure.
    if (!started && error instanceof IdempotencyAlreadyInProgressError) throw inProgressError(error);
    throw error;
  }
  return ran;
}

function advanceInput(tableName: string, key: MemoryKey, position: string): PutItemCommandInput {
  const expiration = Math.floor(Date.now() / 1000) + POSITION_SECONDS;
  return {
    TableName: tableName,
    Item: {
      [ID]: { S: itemId(key) },
      position: { S: position },
      [EXPIRATION]: { N: String(expiration) },
    },
    ConditionExpression: 'attribute_not_exists(#id) OR #position < :position',
    ExpressionAttributeNames: { '#id': ID, '#position': 'position' },
    ExpressionAttributeValues: { ':position': { S: position } },
  };
}

/** Powertools' keys are `<subscriber>#<hash>`; a function's name holds no slash. */
function itemId({ subscriber, of }: MemoryKey): string {
  return `newest/${subscriber}/${of}`;
}
