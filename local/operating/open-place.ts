// What a command operates, as its flags say: a data directory on this machine (also while a `watch` has it: then on
// the engine that it runs), or a deployment.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { UsageError } from '../cli/failures.ts';
import { findHolder, lockDataDirectory } from '../engines/data-directory-lock.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { readEngine } from '../engines/running-engine.ts';
import { LOCAL_TABLES } from '../feed/local-tables.ts';
import { type Deployment, findDeploymentInEnvironment, findStackDeployment } from './find-deployment.ts';

export interface PlaceFlags {
  readonly data?: string;
  readonly stack?: string;
}

export interface Place {
  readonly client: DynamoDBClient;
  /** Of a data directory it has tables alone. */
  readonly deployment: Deployment;
  /** Whether it is a data directory. */
  readonly isLocal: boolean;
  /** The flags that lead here again. */
  readonly flags: string;
  close(): Promise<void>;
}

/** @throws UsageError where no place is named, Error where there is none */
export async function openPlace({ data, stack }: PlaceFlags): Promise<Place> {
  // The SDK prints a notice on Node 20.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  if (data !== undefined && stack !== undefined) throw new UsageError('Take --data or --stack, not both.');
  if (data !== undefined) return openDirectory(data);
  if (stack !== undefined)
    return openDeployment(await findStackDeployment(stack), ` --stack ${quote(stack)}`);
  const deployment = findDeploymentInEnvironment(process.env);
  if (deployment !== undefined) return openDeployment(deployment, '');
  throw new UsageError(
    'Say where the state is: --data DIR on this machine, --stack NAME of a deployment, or the tables in ' +
      'SOURCES_TABLE, SNAPSHOTS_TABLE and LEDGER_TABLE.',
  );
}

function openDeployment(deployment: Deployment, flags: string): Place {
  const client = createDynamoDbClient();
  return { client, deployment, isLocal: false, flags, close: async () => client.destroy() };
}

async function openDirectory(path: string): Promise<Place> {
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB || process.env.AWS_ENDPOINT_URL)
    return local(path, createDynamoDbClient(), async () => {});
  const file = join(path, 'tables.db');
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere)
    throw new Error(`There is no state in ${path}: nothing was ever watched with --data ${path}.`);
  const holder = await findHolder(path);
  if (holder?.isHere === false) {
    throw new Error(`Process ${holder.pid} on ${holder.host} has ${path}: run this there, or stop it.`);
  }
  if (holder !== undefined) {
    const endpoint = await readEngine(path);
    if (endpoint !== undefined) return local(path, connect(endpoint), async () => {});
    throw new Error(
      `Process ${holder.pid} has ${path} and does not say where its tables are; stop it, or try again.`,
    );
  }
  const unlock = await lockDataDirectory(path);
  const engine = await startDynamoDbEngine({ dbPath: file }).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  return local(path, connect(engine.endpoint), async () => {
    await engine.stop();
    await unlock();
  });
}

function local(path: string, client: DynamoDBClient, end: () => Promise<void>): Place {
  return {
    client,
    deployment: LOCAL_TABLES,
    isLocal: true,
    flags: ` --data ${quote(path)}`,
    async close() {
      client.destroy();
      await end();
    },
  };
}

function connect(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createDynamoDbClient({ endpoint, region: 'us-east-1', credentials });
}

/** As a shell takes it. */
function quote(text: string): string {
  return /^[\w./~@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
