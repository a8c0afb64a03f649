// The stores of the contract suites: the fakes, the adapters on a real engine, and those of one machine. The engine is
// the project's own, or the one that AWS_ENDPOINT_URL_DYNAMODB names.
import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, type DynamoDBClientConfig, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { createDynamoDbEndpointStates } from '../../functions/adapters/dynamodb-endpoint-states.ts';
import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbLedgerEraser } from '../../functions/adapters/dynamodb-ledger-eraser.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbSnapshotStore } from '../../functions/adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { type LocalStore, openStore } from '../../local/store/open-store.ts';
import { TABLES, type TableNames } from '../../shared/deployment/tables.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { createTables } from '../engines/tables.ts';
import { createMemoryEndpointStates } from '../fakes/memory-endpoint-states.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemoryMarks } from '../fakes/memory-marks.ts';
import { createMemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';

export type Stores = Pick<
  LocalStore,
  'snapshots' | 'ledger' | 'eraser' | 'marks' | 'endpoints' | 'states' | 'close'
>;

export const STORES: readonly { name: string; open: () => Promise<Stores> }[] = [
  { name: 'in memory', open: async () => openMemoryStores() },
  { name: 'on DynamoDB', open: openDynamoDbStores },
  { name: 'on SQLite', open: () => openStore(undefined) },
];

/** The local time, with pauses that end at once. */
export const hastyClock: Clock = {
  now: () => Date.now() * MILLISECOND,
  elapsed: () => Math.round(performance.now() * MILLISECOND),
  sleep: async () => {},
};

function openMemoryStores(): Stores {
  const ledger = createMemoryLedger();
  return {
    ledger,
    eraser: ledger,
    snapshots: createMemorySnapshotStore(ledger),
    marks: createMemoryMarks(),
    endpoints: createMemoryEndpointStates(),
    states: createMemorySourceStates(),
    close: async () => {},
  };
}

export interface TestTables {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  close(): Promise<void>;
}

/** Creates new tables on an engine, with the stream that the ledger has in AWS. */
export async function openTables(): Promise<TestTables> {
  const named = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const engine =
    named === undefined ? await startDynamoDbEngine() : { endpoint: named, stop: async () => {} };
  const client = connect(engine.endpoint);
  const prefix = randomUUID();
  const tables: TableNames = {
    snapshots: `${prefix}-snapshots`,
    ledger: `${prefix}-ledger`,
    marks: `${prefix}-marks`,
    sources: `${prefix}-sources`,
  };
  await createTables(client, tables);
  await startStream(client, tables.ledger);
  return {
    endpoint: engine.endpoint,
    client,
    tables,
    async close() {
      client.destroy();
      await engine.stop();
    },
  };
}

export async function startStream(client: DynamoDBClient, ledger: string): Promise<void> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: TABLES.ledger.stream };
  await client.send(new UpdateTableCommand({ TableName: ledger, StreamSpecification }));
}

export function connect(endpoint: string, overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createDynamoDbClient({ endpoint, region: 'eu-west-1', credentials, ...overrides });
}

export function storesOn(
  client: DynamoDBClient,
  tables: TableNames,
  clock: Clock = hastyClock,
): Omit<Stores, 'close'> {
  const options = { client, tables, clock };
  return {
    snapshots: createDynamoDbSnapshotStore(options),
    ledger: createDynamoDbLedger(options),
    eraser: createDynamoDbLedgerEraser(options),
    marks: createDynamoDbMarks(options),
    states: createDynamoDbSourceStates(options),
    endpoints: createDynamoDbEndpointStates(options),
  };
}

async function openDynamoDbStores(): Promise<Stores> {
  const { client, tables, close } = await openTables();
  return { ...storesOn(client, tables), close };
}

/** A clock that is stopped at a moment. */
export function clockAt(now: Instant): Clock {
  return { ...hastyClock, now: () => now };
}
