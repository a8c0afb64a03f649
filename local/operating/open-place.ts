// Opens the place that a command's flags name: a deployment, or a data directory on this machine. While a `watch` uses
// the directory, the command connects to the engine of that `watch`.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { UsageError } from '../cli/failures.ts';
import { findHolder, lockDataDirectory } from '../engines/data-directory-lock.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { readEngine } from '../engines/running-engine.ts';
import { addMissingIndexes } from '../engines/tables.ts';
import { LOCAL_TABLES } from '../feed/local-tables.ts';
import { type Deployment, findDeploymentInEnvironment, findStackDeployment } from './find-deployment.ts';

export interface PlaceFlags {
  readonly data?: string;
  readonly stack?: string;
}

export interface Place {
  readonly client: DynamoDBClient;
  /** For a data directory, only the tables. */
  readonly deployment: Deployment;
  /** Whether it is a data directory. */
  readonly isLocal: boolean;
  /** The flags that name this place again. */
  readonly flags: string;
  close(): Promise<void>;
}

/** @throws UsageError if no place is named, Error if the named place does not exist */
export async function openPlace({ data, stack }: PlaceFlags): Promise<Place> {
  // The SDK prints a notice on Node 20.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  if (data !== undefined && stack !== undefined) throw new UsageError('Give --data or --stack, not both.');
  if (data !== undefined) return openDirectory(data);
  if (stack !== undefined)
    return openDeployment(await findStackDeployment(stack), ` --stack ${quote(stack)}`);
  const deployment = findDeploymentInEnvironment(process.env);
  if (deployment !== undefined) return openDeployment(deployment, '');
  throw new UsageError(
    'Name the place of the state: --data DIR on this machine, --stack NAME of a deployment, or its tables ' +
      'in SOURCES_TABLE, SNAPSHOTS_TABLE and LEDGER_TABLE.',
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
  if (!isThere) throw new Error(`There is no state in ${path}: no "watch" ever ran with --data ${path}.`);
  const holder = await findHolder(path);
  if (holder?.isHere === false) {
    throw new Error(`Process ${holder.pid} on ${holder.host} is using ${path}: run this there, or stop it.`);
  }
  if (holder !== undefined) {
    const endpoint = await readEngine(path);
    if (endpoint !== undefined) return local(path, connect(endpoint), async () => {});
    throw new Error(
      `Process ${holder.pid} is using ${path} but has recorded no endpoint there; stop it, or try again.`,
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

/** The tables may be those of an earlier release, without an index that this one reads. */
async function local(path: string, client: DynamoDBClient, end: () => Promise<void>): Promise<Place> {
  const close = async () => {
    client.destroy();
    await end();
  };
  try {
    await addMissingIndexes(client, LOCAL_TABLES);
  } catch (error) {
    await close();
    throw error;
  }
  return { client, deployment: LOCAL_TABLES, isLocal: true, flags: ` --data ${quote(path)}`, close };
}

function connect(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createDynamoDbClient({ endpoint, region: 'us-east-1', credentials });
}

/** The text as one word of a shell command. */
function quote(text: string): string {
  return /^[\w./~@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
