// The function as CloudFormation invokes it, but not bundled: only its environment configures it, and it uses an engine. The
// list comes over the wire from a stand-in for S3, and the answer goes to one for CloudFormation.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  createDynamoDbSourceDirectory,
  type DeclaredBy,
  type GivenSource,
  type SourceDirectory,
} from '../../../functions/adapters/dynamodb-source-directory.ts';
import { handler } from '../../../functions/declared-sources/handler.ts';
import { aState } from '../../contract/sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from '../../contract/stores.ts';

let tables: TestTables;
let directory: SourceDirectory;
let server: Server;
let url: string;
/** By key. */
const lists = new Map<string, string>();
const answers: { readonly contentType: string | undefined; readonly body: string }[] = [];
/** The status of the next answers. */
let takes = 200;

beforeAll(async () => {
  tables = await openTables();
  directory = createDynamoDbSourceDirectory({ ...tables, clock: hastyClock, random: Math.random });
  server = createServer(async (request, response) => {
    const [, bucket, key = ''] = new URL(request.url ?? '', 'http://s3').pathname.split('/');
    if (request.method === 'PUT') {
      answers.push({ contentType: request.headers['content-type'], body: await text(request) });
      response.writeHead(takes).end();
    } else if (bucket === 'assets' && lists.has(key)) response.writeHead(200).end(lists.get(key));
    else
      response
        .writeHead(404)
        .end('<Error><Code>NoSuchKey</Code><Message>There is no such key.</Message></Error>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, value] of Object.entries({
    ...{ SOURCES_TABLE: tables.tables.sources, AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint },
    ...{ AWS_ENDPOINT_URL_S3: url, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  }))
    vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
  await tables.close();
});
beforeEach(async () => {
  answers.length = 0;
  takes = 200;
  for (const { name } of await directory.list()) await directory.remove(name);
  const written = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(() => true),
  );
  return () => {
    for (const each of written) each.mockRestore();
  };
});

function aSource(name: string, settings: object = {}, token: object = { secretId: `tokens/${name}` }) {
  return {
    settings: { name, baseUrl: 'https://returns.example.com/api', ...settings },
    token,
  } as GivenSource;
}

function save(given: GivenSource, declaredBy: DeclaredBy, isPaused = false) {
  return directory.save({ name: given.settings.name, declaredBy, isPaused, given }, 0);
}

let deployments = 0;

/** Declares a list as a deployment does. @returns the answer that CloudFormation gets */
async function deploy(
  list: unknown,
  {
    Values = {},
    Key = `list-${++deployments}.json`,
    RequestType = 'Update' as 'Create' | 'Update' | 'Delete',
  } = {},
) {
  if (list !== undefined) lists.set(Key, JSON.stringify(list));
  const event = {
    ...{ RequestType, ResponseURL: `${url}/answer?signature=1`, StackId: 'stack', RequestId: 'request' },
    ...{ LogicalResourceId: 'Sources', ...(RequestType !== 'Create' && { PhysicalResourceId: 'Sources' }) },
    ResourceProperties: { ServiceToken: 'arn', Bucket: 'assets', Key, Values },
  };
  await handler(event as unknown as CloudFormationCustomResourceEvent);
  return JSON.parse(answers.at(-1)?.body ?? '');
}

const names = async () => (await directory.list()).map(({ name }) => name);

test('the listed sources get entries of the stack, as given, and the answer names the resource', async () => {
  const acme = aSource('acme', { intervalMs: 5_000 });

  const answer = await deploy([acme, aSource('globex')], { RequestType: 'Create' });

  expect(answer).toEqual({
    ...{ Status: 'SUCCESS', StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Sources' },
    PhysicalResourceId: 'Sources',
  });
  expect(answers[0]?.contentType).toBeUndefined();
  expect(await names()).toEqual(['acme', 'globex']);
  expect(await directory.find('acme')).toMatchObject({ declaredBy: 'stack', isPaused: false, version: 1 });
  expect((await directory.find('acme'))?.given).toEqual(acme);
});

test('a value that only the deployment knows replaces its marker', async () => {
  const list = [aSource('acme', {}, { secretId: '<<0>>' }), aSource('globex', {}, { secretId: '<<1>>' })];

  await deploy(list, { Values: { 0: 'arn:aws:secretsmanager:eu-west-1:1:secret:"acme"', 1: 'second' } });

  expect(await directory.find('acme')).toMatchObject({
    token: { secretId: 'arn:aws:secretsmanager:eu-west-1:1:secret:"acme"' },
  });
  expect(await directory.find('globex')).toMatchObject({ token: { secretId: 'second' } });
});

test('a marker without a value changes nothing', async () => {
  const answer = await deploy([aSource('acme', {}, { secretId: '<<0>>' })]);

  expect(answer).toMatchObject({ Status: 'FAILED', Reason: 'The list of sources has no value 0.' });
  expect(await names()).toEqual([]);
});

test('a deployment that changes one source writes its entry alone', async () => {
  await deploy([aSource('acme'), aSource('globex')]);

  await deploy([aSource('acme'), aSource('globex', { requestsPerMinute: 60 })]);

  expect(await directory.find('acme')).toMatchObject({ version: 1 });
  expect(await directory.find('globex')).toMatchObject({ version: 2, settings: { requestsPerMinute: 60 } });
});

test('what operators set stays', async () => {
  await save(aSource('acme'), 'stack', true);

  await deploy([aSource('acme', { requestsPerMinute: 60 })]);

  expect(await directory.find('acme')).toMatchObject({ isPaused: true, settings: { requestsPerMinute: 60 } });
});

test("only the stack's own entries go with the sources that the list no longer has", async () => {
  const { states } = storesOn(tables.client, tables.tables);
  await states.save(aState('globex'), 0);
  await deploy([aSource('acme'), aSource('globex')]);
  await save(aSource('initech'), 'command');

  await deploy([aSource('acme')]);

  expect(await names()).toEqual(['acme', 'initech']);
  expect(await states.load('globex')).toBeDefined();
});

test('a rollback to the list before restores the entries', async () => {
  await deploy([aSource('acme'), aSource('globex')], { Key: 'before.json' });
  await deploy([aSource('acme', { requestsPerMinute: 60 }), aSource('initech')]);

  await deploy([aSource('acme'), aSource('globex')], { Key: 'before.json' });

  expect(await names()).toEqual(['acme', 'globex']);
  expect((await directory.find('acme'))?.given).toEqual(aSource('acme'));
});

test('the deletion of the stack leaves the entries to a stack that continues with its tables', async () => {
  await deploy([aSource('acme')]);

  const answer = await deploy([], { RequestType: 'Delete' });

  expect(answer.Status).toBe('SUCCESS');
  expect(await names()).toEqual(['acme']);
});

test('all problems are in one answer, the worst first, and nothing is written', async () => {
  await save(aSource('added'), 'command');
  const token = { secretId: 'shared' };
  const list = [
    ...[
      aSource('acme', { requestsPerMinute: 200 }, token),
      aSource('globex', { requestsPerMinute: 200 }, token),
    ],
    ...[aSource('broken', { intervalMs: 'often', baseUrl: 'http://returns.example.com' }), {}],
    ...[aSource('twice'), aSource('twice'), aSource('added')],
  ];

  const { Status, Reason } = await deploy(list);

  const lines = Reason.split('\n');
  expect(Status).toBe('FAILED');
  expect(lines[0]).toBe('The list of 7 sources is not valid; nothing was changed:');
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^- There are two sources "twice"/),
    expect.stringMatching(/^- Source "added" was added by a command: run "sources remove added" first/),
    expect.stringMatching(/^- Source "broken": settings\.intervalMs: /),
    expect.stringMatching(/^- Source 3: settings\.name: /),
    expect.stringMatching(/^- The sources "acme" and "globex" use one token.*now 400/),
  ]);
  expect(await names()).toEqual(['added']);
});

test('added sources count towards the budget of a token', async () => {
  await save(aSource('added', { requestsPerMinute: 200 }, { secretId: 'shared' }), 'command');

  const { Reason } = await deploy([aSource('acme', { requestsPerMinute: 200 }, { secretId: 'shared' })]);

  expect(Reason).toContain('The sources "added" and "acme" use one token');
});

test('the answer of a thousand problems is one that CloudFormation takes', async () => {
  const list = Array.from({ length: 1_000 }, (_, at) => aSource(`Größe ${at}`));

  const { Reason } = await deploy(list);

  expect(Buffer.byteLength(answers.at(-1)?.body ?? '')).toBeLessThanOrEqual(4_096);
  expect(Reason).toMatch(/^The list of 1000 sources is not valid/);
  expect(Reason).toMatch(/- Source "Größe 9": [^\n]+\n(.|\n)*\n… and 9\d\d more$/);
});

test('a list that can not be read is answered as a failure', async () => {
  const answer = await deploy(undefined);

  expect(answer).toMatchObject({ Status: 'FAILED', Reason: 'There is no such key.' });
});

test('an answer that CloudFormation does not take fails, so that Lambda invokes again', async () => {
  takes = 503;

  const deploying = deploy([aSource('acme')]);

  await expect(deploying).rejects.toThrow('CloudFormation did not take the answer (503).');
});

test('a thousand sources are declared at once, and a repetition writes nothing', async () => {
  const list = Array.from({ length: 1_000 }, (_, at) => aSource(`source-${at}`));

  await deploy(list);
  const { Status } = await deploy(list);

  const entries = await directory.list();
  expect(Status).toBe('SUCCESS');
  expect(entries).toHaveLength(1_000);
  expect(new Set(entries.map(({ version }) => version))).toEqual(new Set([1]));
});
