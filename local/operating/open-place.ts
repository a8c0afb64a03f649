// Opens the place that a command's flags name: a deployment, or a data directory on this machine. Commands share the
// engine of a directory, with each other and with a running `watch`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { startDynamoDbEngine } from '../../test/engines/dynamodb-engine.ts';
import { UsageError } from '../cli/failures.ts';
import { shellWord } from '../cli/shell-word.ts';
import { findHolder, type Holder } from '../engines/data-directory-lock.ts';
import { followEngine } from '../engines/follow-engine.ts';
import { checkEndpoints, namedRegion, readNamedEngines } from '../engines/named-engines.ts';
import { type SharedEngine, shareEngine } from '../engines/shared-engine.ts';
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
  /** The process that has the data directory, which may be this one; undefined for a deployment. */
  holder(): Promise<Holder | undefined>;
  close(): Promise<void>;
}

/** Runs work on the named place, and closes the place even if the work fails. @throws what {@link openPlace} throws */
export async function withPlace<Result>(
  flags: PlaceFlags,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const place = await openPlace(flags);
  try {
    return await work(place);
  } finally {
    await place.close();
  }
}

/** @throws UsageError if no place is named, Error if the named place does not exist */
export async function openPlace({ data, stack }: PlaceFlags): Promise<Place> {
  // The SDK prints a notice on Node 20.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  if (data !== undefined && stack !== undefined) throw new UsageError('Give --data or --stack, not both.');
  if (data !== undefined) return openDirectory(data);
  if (stack !== undefined)
    return openDeployment(() => findStackDeployment(stack), ` --stack ${shellWord(stack)}`);
  const deployment = findDeploymentInEnvironment(process.env);
  if (deployment !== undefined) return openDeployment(async () => deployment, '');
  throw new UsageError(
    'Name the place of the state: --data DIR on this machine, --stack NAME of a deployment, or its tables ' +
      'in SOURCES_TABLE, SNAPSHOTS_TABLE and LEDGER_TABLE.',
  );
}

async function openDeployment(find: () => Promise<Deployment>, flags: string): Promise<Place> {
  checkEndpoints(process.env);
  const client = createDynamoDbClient();
  await client.config.region().catch((cause: unknown) => {
    throw new UsageError(
      "Name the deployment's region: set AWS_REGION, or AWS_PROFILE to a profile with a region.",
      { cause },
    );
  });
  const deployment = await find();
  return {
    client,
    deployment,
    isLocal: false,
    flags,
    holder: async () => undefined,
    close: async () => client.destroy(),
  };
}

async function openDirectory(path: string): Promise<Place> {
  if (readNamedEngines(process.env).dynamoDb !== undefined) {
    const client = createDynamoDbClient({ region: await namedRegion(process.env) });
    return local(path, client, async () => {});
  }
  const file = join(path, 'tables.db');
  if (!existsSync(file))
    throw new Error(`There is no state in ${path}: no "watch" ever ran with --data ${path}.`);
  const engine = shareEngine(path, () => startDynamoDbEngine({ dbPath: file }));
  await engine.endpoint().catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  return local(path, connect(engine), engine.close);
}

function local(path: string, client: DynamoDBClient, end: () => Promise<void>): Place {
  return {
    client,
    deployment: LOCAL_TABLES,
    isLocal: true,
    flags: ` --data ${shellWord(path)}`,
    // An engine that the environment names needs no directory.
    holder: () => findHolder(path).catch(() => undefined),
    async close() {
      client.destroy();
      await end();
    },
  };
}

/** A client whose requests go where the tables are at that moment. */
function connect(engine: SharedEngine): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = createDynamoDbClient({ endpoint: 'http://127.0.0.1', region: 'us-east-1', credentials });
  client.middlewareStack.add((next) => (args) => followEngine(engine, next, args), {
    step: 'deserialize',
    // Next to the connection: a request that failed is sent again as it is.
    priority: 'low',
    name: 'followEngine',
  });
  return client;
}
