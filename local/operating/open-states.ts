// Where sources keep their state, as a command's flags say: in a data directory on this machine (also while a `watch`
// has it: then on the engine that it runs), or in the tables of a deployment.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { SourceStates } from '../../shared/ports.ts';
import type { TableNames } from '../../shared/tables.ts';
import { UsageError } from '../cli/failures.ts';
import { findHolder, lockDataDirectory } from '../engines/data-directory-lock.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { readEngine } from '../engines/running-engine.ts';
import { LOCAL_TABLES } from '../feed/local-tables.ts';
import { findStackTables, findTablesInEnvironment } from './find-tables.ts';

export interface PlaceFlags {
  readonly data?: string;
  readonly stack?: string;
}

export interface OpenStates {
  readonly states: SourceStates;
  /** All sources, or the one asked for. @throws Error where it has no state here */
  sources(asked: string | undefined): Promise<readonly string[]>;
  /** The flags that lead here again. */
  readonly flags: string;
  close(): Promise<void>;
}

type Tables = Pick<TableNames, 'sources' | 'snapshots' | 'ledger'>;

interface OpenTables {
  readonly client: DynamoDBClient;
  readonly tables: Tables;
  readonly flags: string;
  close(): Promise<void>;
}

/** @throws UsageError where no place is named, Error where there is none */
export async function openStates(flags: PlaceFlags): Promise<OpenStates> {
  // The SDK prints a notice on Node 20.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const { client, tables, flags: again, close } = await openTables(flags);
  return {
    states: createDynamoDbSourceStates({ client, tables, clock: createSystemClock() }),
    flags: again,
    async sources(asked) {
      const names = await listSources(client, tables.sources).catch((error: unknown) => {
        throw isMissing(error)
          ? new Error(`There is no state of any source there (${tables.sources}).`)
          : error;
      });
      if (asked === undefined) return names;
      if (names.includes(asked)) return [asked];
      const others = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
      throw new Error(`There is no state of a source "${asked}"; ${others}.`);
    },
    async close() {
      client.destroy();
      await close();
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'ResourceNotFoundException';
}

async function openTables({ data, stack }: PlaceFlags): Promise<OpenTables> {
  if (data !== undefined && stack !== undefined) throw new UsageError('Take --data or --stack, not both.');
  if (data !== undefined) return openDirectory(data);
  const remote = { client: createDynamoDbClient(), close: async () => {} };
  if (stack !== undefined)
    return { ...remote, tables: await findStackTables(stack), flags: ` --stack ${quote(stack)}` };
  const tables = findTablesInEnvironment(process.env);
  if (tables !== undefined) return { ...remote, tables, flags: '' };
  throw new UsageError(
    'Say where the state is: --data DIR on this machine, --stack NAME of a deployment, or the tables in ' +
      'SOURCES_TABLE, SNAPSHOTS_TABLE and LEDGER_TABLE.',
  );
}

async function openDirectory(path: string): Promise<OpenTables> {
  const flags = ` --data ${quote(path)}`;
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB || process.env.AWS_ENDPOINT_URL) {
    return { client: createDynamoDbClient(), tables: LOCAL_TABLES, flags, close: async () => {} };
  }
  const file = join(path, 'tables.db');
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere)
    throw new Error(`There is no state in ${path}: nothing was ever watched with --data ${path}.`);
  const holder = await findHolder(path);
  if (holder !== undefined) {
    const endpoint = await readEngine(path);
    if (endpoint === undefined) {
      throw new Error(
        `Process ${holder} has ${path} and does not say where its tables are; stop it, or try again.`,
      );
    }
    return { client: connect(endpoint), tables: LOCAL_TABLES, flags, close: async () => {} };
  }
  const unlock = await lockDataDirectory(path);
  const engine = await startDynamoDbEngine({ dbPath: file }).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  return {
    client: connect(engine.endpoint),
    tables: LOCAL_TABLES,
    flags,
    async close() {
      await engine.stop();
      await unlock();
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
