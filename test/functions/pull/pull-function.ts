// The function behind its URL, as in Lambda but not bundled: only its environment configures it, and it uses an engine
// over the wire.
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';
import { positionKey } from '../../../functions/adapters/dynamodb-position-writer.ts';
import type { GroupKey, Save } from '../../../shared/ports.ts';
import { type PullStores, pullStoresOn } from '../../contract/positions-under-test.ts';
import { hastyClock, openTables, storesOn } from '../../contract/stores.ts';
import { startFunctionUrl } from './function-url-front.ts';

const A_MINUTE_MS = 60_000;

export interface PullFunction {
  readonly url: string;
  readonly stores: Omit<PullStores, 'close'> & ReturnType<typeof storesOn>;
  /** Saves events, which get their positions. */
  save(key: GroupKey, save: Save): Promise<void>;
  /** Lets the time end until which a position is kept. */
  expire(position: number): Promise<void>;
  close(): Promise<void>;
}

export async function startPullFunction(): Promise<PullFunction> {
  const { client, tables, endpoint, close } = await openTables();
  const environment = {
    LEDGER_TABLE: tables.ledger,
    MARKS_TABLE: tables.marks,
    SNAPSHOTS_TABLE: tables.snapshots,
    SOURCES_TABLE: tables.sources,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_SERVICE_NAME: 'feed',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { handler } = await import('../../../functions/pull/handler.ts');
  const front = await startFunctionUrl(handler);
  const stores = { ...storesOn(client, tables), ...pullStoresOn(client, tables, hastyClock) };
  return {
    ...{ url: front.url, stores },
    async save(key, save) {
      await stores.snapshots.save(key, save);
      await stores.relay([key], A_MINUTE_MS);
    },
    async expire(position) {
      const update = { UpdateExpression: 'SET x = :x', ExpressionAttributeValues: { ':x': { N: '1' } } };
      const Key = { k: { S: positionKey(position) } };
      await client.send(new UpdateItemCommand({ TableName: tables.marks, Key, ...update }));
    },
    async close() {
      vi.unstubAllEnvs();
      await front.close();
      await close();
    },
  };
}
