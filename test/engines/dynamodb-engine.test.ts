import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDynamoDbEngine } from './dynamodb-engine.ts';
import { EngineError } from './engine-error.ts';
import { startProgram } from './programs/run-program.ts';
import { connectDynamoDb, createStreamedTable, putTogether } from './sdk-clients.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engines-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Whether the port is in use. */
async function isTaken(endpoint: string): Promise<boolean> {
  const server = createServer();
  server.listen(Number(new URL(endpoint).port), '127.0.0.1');
  const taken = await Promise.race([
    once(server, 'listening').then(() => false),
    new Promise<boolean>((resolve) => server.once('error', () => resolve(true))),
  ]);
  server.close();
  return taken;
}

const get = async (client: DynamoDBClient, table: string, pk: string, sk: number) => {
  const Key = { pk: { S: pk }, sk: { N: String(sk) } };
  return (await client.send(new GetItemCommand({ TableName: table, Key }))).Item;
};

test('serves until it is stopped, and frees its port', async () => {
  const engine = await startDynamoDbEngine();
  const client = connectDynamoDb(engine.endpoint);
  const table = await createStreamedTable(client);
  await putTogether(client, table, 'a', [1]);
  const item = await get(client, table, 'a', 1);

  // The client's connections are still open.
  await engine.stop();

  expect(item?.sk).toEqual({ N: '1' });
  expect(await isTaken(engine.endpoint)).toBe(false);
  client.destroy();
});

test('several engines use different ports', async () => {
  const engines = await Promise.all(Array.from({ length: 4 }, () => startDynamoDbEngine()));

  const endpoints = new Set(engines.map(({ endpoint }) => endpoint));
  await Promise.all(engines.map((engine) => engine.stop()));

  expect(endpoints.size).toBe(4);
});

test('loads its tables from its file', async () => {
  const dbPath = join(directory, 'tables.db');
  const first = await startDynamoDbEngine({ dbPath });
  const writing = connectDynamoDb(first.endpoint);
  const table = await createStreamedTable(writing);
  await putTogether(writing, table, 'a', [1]);
  writing.destroy();
  await first.stop();

  const second = await startDynamoDbEngine({ dbPath });
  const reading = connectDynamoDb(second.endpoint);
  const item = await get(reading, table, 'a', 1);
  reading.destroy();
  await second.stop();

  expect(item).toBeDefined();
  expect(await readdir(directory)).toEqual(['tables.db']);
});

test('keeps all acknowledged writes when it is killed together with its starter', async () => {
  const dbPath = join(directory, 'tables.db');
  const holder = startProgram('hold-engine.ts', [dbPath]);
  const [line] = (await once(holder.stdout, 'data')) as [Buffer];
  const endpoint = String(line).trim();
  const client = connectDynamoDb(endpoint);
  const table = await createStreamedTable(client);
  const acknowledged: string[] = [];
  const writer = async (name: string) => {
    for (let written = 0; ; written++) {
      await putTogether(client, table, `${name}-${written}`, [1, 2]);
      acknowledged.push(`${name}-${written}`);
    }
  };

  const writers = ['a', 'b', 'c', 'd'].map((name) => writer(name).catch(() => undefined));
  while (acknowledged.length < 100) await setImmediate();
  holder.kill('SIGKILL');
  client.destroy();
  await Promise.all(writers);
  await vi.waitUntil(async () => !(await isTaken(endpoint)));

  const engine = await startDynamoDbEngine({ dbPath });
  const reader = connectDynamoDb(engine.endpoint);
  const found = await countPairs(reader, table, acknowledged);
  reader.destroy();
  await engine.stop();
  expect(found).toBe(2 * acknowledged.length);
});

async function countPairs(client: DynamoDBClient, table: string, keys: readonly string[]): Promise<number> {
  let found = 0;
  for (let from = 0; from < keys.length; from += 50) {
    const Keys = keys
      .slice(from, from + 50)
      .flatMap((pk) => ['1', '2'].map((sk) => ({ pk: { S: pk }, sk: { N: sk } })));
    const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys } } }));
    found += Responses?.[table]?.length ?? 0;
  }
  return found;
}

test('reports what to do on a platform without an engine', async () => {
  const starting = startDynamoDbEngine({ platform: 'sunos-x64' });

  await expect(starting).rejects.toThrow(EngineError);
  await expect(starting).rejects.toThrow(/DynamoDB Local or LocalStack .* AWS_ENDPOINT_URL_DYNAMODB/);
});

test("reports the engine's message when it does not start", async () => {
  const starting = startDynamoDbEngine({ dbPath: join(directory, 'nowhere', 'tables.db') });

  await expect(starting).rejects.toThrow(/did not start: .*unable to open database file/);
});
