// Stores whose events have positions: those of one machine, and in AWS those that a relay gives.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbPositionWriter } from '../../functions/adapters/dynamodb-position-writer.ts';
import { createDynamoDbPositions } from '../../functions/adapters/dynamodb-positions.ts';
import { createDynamoDbReaders } from '../../functions/adapters/dynamodb-readers.ts';
import { openStore } from '../../local/store/open-store.ts';
import type { TableNames } from '../../shared/deployment/tables.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Relay } from '../../shared/publishing/relay.ts';
import { createPositionRelay } from '../../shared/pulling/assign-positions.ts';
import type { Positions } from '../../shared/pulling/positions.ts';
import type { Readers } from '../../shared/pulling/reader.ts';
import type { CountedPositions } from '../../shared/pulling/unread.ts';
import { openTables, type Stores, storesOn } from './stores.ts';

export const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export interface PullStores extends Pick<Stores, 'snapshots' | 'ledger' | 'eraser' | 'marks' | 'close'> {
  readonly positions: Positions & CountedPositions;
  readonly readers: Readers;
  /** Gives the events of groups their positions; on one machine they have them. */
  readonly relay: Relay;
}

export const PULL_STORES: readonly { name: string; open: (clock: Clock) => Promise<PullStores> }[] = [
  {
    name: 'on SQLite',
    async open(clock) {
      const store = await openStore(undefined, { clock });
      return { ...store, relay: async (groups) => groups.map(() => ({ state: 'done' })) };
    },
  },
  {
    name: 'on DynamoDB',
    async open(clock) {
      const { client, tables, close } = await openTables();
      return { ...pullStoresOn(client, tables, clock), close };
    },
  },
];

export function pullStoresOn(
  client: DynamoDBClient,
  tables: TableNames,
  clock: Clock,
): Omit<PullStores, 'close'> {
  const [stores, access] = [storesOn(client, tables, clock), { client, tables, clock }];
  return {
    ...stores,
    positions: createDynamoDbPositions({ ...access, ...stores }),
    readers: createDynamoDbReaders(access),
    relay: createPositionRelay({
      ...{ ...stores, clock, log: QUIET, random: Math.random, destination: { name: 'pull' } },
      writer: createDynamoDbPositionWriter(access),
    }),
  };
}
