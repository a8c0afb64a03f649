// The poller as in Lambda, but not bundled: only its environment configures it, and it uses an engine, a fake of AWS and
// the service over the wire.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDynamoDbProgress } from '../../../functions/adapters/dynamodb-progress.ts';
import {
  createDynamoDbSourceDirectory,
  type DeclaredBy,
  type SourceDirectory,
  type TokenPlace,
} from '../../../functions/adapters/dynamodb-source-directory.ts';
import { encryptToken } from '../../../functions/adapters/encrypted-token.ts';
import { handler } from '../../../functions/poller/handler.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { QUESTIONS_ALIAS } from '../../../shared/deployment/questions-alias.ts';
import { tokenNamesFor } from '../../../shared/deployment/token-names.ts';
import { hastyClock, openTables, type TestTables } from '../../contract/stores.ts';
import { type KmsEngine, startKmsEngine } from '../../engines/kms-engine.ts';
import { type FakeAws, startFakeAws } from '../../local/commands/fake-aws.ts';

const FEED = 'feed-1';
const STACK_TOKEN = 'the-secret-of-acme';
const ADDED_TOKEN = 'the-token-of-the-added-source';

let service: ReferenceService;
let tables: TestTables;
let directory: SourceDirectory;
let aws: FakeAws;
let kms: KmsEngine;
let other: Server;
let otherUrl: string;
/** The headers of each request to the other address. */
let sentElsewhere: string[];
let logged: string[];
let slot = Math.floor(Date.now() / 60_000) * 60_000;

beforeAll(async () => {
  [service, tables, aws, kms] = await Promise.all([
    createReferenceService({ groups: 20, life: false }),
    openTables(),
    startFakeAws(),
    startKmsEngine(),
  ]);
  other = createServer((request, response) => {
    sentElsewhere.push(JSON.stringify(request.headers));
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v2`;
  directory = createDynamoDbSourceDirectory({ ...tables, clock: hastyClock, random: Math.random });
  aws.versions.set(STACK_TOKEN, [{ text: service.token, createdAt: 0 }]);
  await configure('acme', service.url, { secretId: STACK_TOKEN }, { declaredBy: 'stack' });
  const declared = [{ token: { secretId: STACK_TOKEN }, baseUrl: service.url }];
  for (const [name, value] of Object.entries({
    ...{ SNAPSHOTS_TABLE: tables.tables.snapshots, LEDGER_TABLE: tables.tables.ledger },
    ...{ SOURCES_TABLE: tables.tables.sources, FEED_NAME: FEED, STACK_NAME: 'Returns' },
    DECLARED_TOKENS: JSON.stringify(declared),
    ...{ POLL_QUEUE_URL: `${aws.url}/ticks`, AWS_ENDPOINT_URL: aws.url },
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    ...{ AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ POWERTOOLS_METRICS_NAMESPACE: 'ReturnsChangeFeed', POWERTOOLS_SERVICE_NAME: FEED },
  }))
    vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const each of [other, aws]) each.close();
  await Promise.all([service.close(), tables.close(), kms.stop()]);
});
beforeEach(() => {
  [sentElsewhere, logged] = [[], []];
  const written = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((line) => logged.push(String(line)) > 0),
  );
  return () => {
    for (const each of written) each.mockRestore();
  };
});

async function configure(
  name: string,
  baseUrl: string,
  token: TokenPlace,
  { declaredBy = 'command' as DeclaredBy, isPaused = false } = {},
): Promise<void> {
  const given = { settings: { name, baseUrl, requestsPerMinute: 240 }, token };
  const version = (await directory.find(name))?.version ?? 0;
  await directory.save({ name, declaredBy, isPaused, given }, version);
}

/** Encrypts a token as `sources add` does. */
function encrypted(name: string, baseUrl: string, token: string): Promise<string> {
  const client = new KMSClient({ endpoint: kms.endpoint });
  return encryptToken({ client, keyId: kms.key }, { feed: FEED, settings: { name, baseUrl } }, token);
}

function contextOf(functionName: string): Context {
  const invokedFunctionArn = `arn:aws:lambda:eu-west-1:111122223333:function:${functionName}`;
  return { invokedFunctionArn, getRemainingTimeInMillis: () => 60_000 } as Context;
}

function tick(source: string, more: object = {}): Promise<unknown> {
  slot += 1_000;
  const event = { Records: [{ body: JSON.stringify({ source, slot, ...more }) }] };
  return handler(event as SQSEvent, contextOf('poller'));
}

const ask = (find: object) => handler({ find }, contextOf(`poller:${QUESTIONS_ALIAS}`));

function aParcel() {
  const group = service.control.snapshot().find(({ shipments }) => shipments[0]?.tracking_number != null);
  return { group: Number(group?.id), tracking: String(group?.shipments[0]?.tracking_number) };
}

test('a tick of a removed source logs a warning, and does not fail', async () => {
  await tick('gone');

  expect(logged).toEqual([expect.stringContaining('there is no such source')]);
  expect(logged[0]).toContain('"source":"gone"');
});

test('a search is answered with ids only, and the log does not contain its text', async () => {
  await tick('acme');
  const { group, tracking } = aParcel();

  const found = await ask({ source: 'acme', tracking_code: tracking });

  expect(found).toEqual({ found: { exact: [group], similar: [], isWhole: true } });
  expect(logged.join('\n')).toContain('was answered');
  expect(logged.join('\n')).not.toContain(tracking);
});

test('the present answer of a group contains only fields of the allowlist, and no customer data', async () => {
  const { group } = aParcel();

  const answered = await ask({ source: 'acme', group });

  const shown = service.control.snapshot().find(({ id }) => id === group);
  const { name, email } = (shown as unknown as { readonly customer: Readonly<Record<string, string>> })
    .customer;
  expect(answered).toMatchObject({ present: { kind: 'shown', projection: { group: { id: group } } } });
  for (const secret of [name, email, service.token]) expect(JSON.stringify(answered)).not.toContain(secret);
  expect(await ask({ source: 'acme', group: 1 })).toMatchObject({ present: { kind: 'absent' } });
});

test('questions do not change the state that ticks use', async () => {
  const stateOf = async () => {
    const Key = { k: { S: 'source/acme' } };
    return (await tables.client.send(new GetItemCommand({ TableName: tables.tables.sources, Key }))).Item;
  };
  const before = await stateOf();

  await ask({ source: 'acme', order_name: '#none' });
  await ask({ source: 'acme', group: aParcel().group });

  expect(before).toBeDefined();
  expect(await stateOf()).toEqual(before);
});

test.each([
  ['a source that does not exist', { source: 'gone', group: 1 }, 'There is no source "gone"'],
  ['an empty text', { source: 'acme', order_name: '' }, 'The question is not valid'],
  ['an e-mail address', { source: 'acme', email: 'a@example.com' }, 'The question is not valid'],
  ['two searches', { source: 'acme', order_name: '#1', group: 1 }, 'The question is not valid'],
])('a question with %s is answered with an error, and does not fail the poller', async (_, find, message) => {
  expect(await ask(find)).toEqual({ error: expect.stringContaining(message) });
});

test('a tick that is sent to the alias of operators is rejected', async () => {
  const before = service.control.requests().length;
  const event = { Records: [{ body: JSON.stringify({ source: 'acme', slot: slot + 60_000 }) }] };

  const answered = await handler(event as SQSEvent, contextOf(`poller:${QUESTIONS_ALIAS}`));

  expect(answered).toEqual({ error: expect.stringContaining('The question is not valid') });
  expect(service.control.requests()).toHaveLength(before);
});

test('a tick of a paused source sends nothing, and does not fail', async () => {
  await configure('paused', service.url, { secretId: STACK_TOKEN }, { isPaused: true });
  const before = service.control.requests().length;

  await tick('paused');

  expect(service.control.requests()).toHaveLength(before);
});

test('a tick of an entry that is not valid names the entry and each problem', async () => {
  await configure('broken', 'http://returns.example.com', { secretId: STACK_TOKEN });
  await configure('broken', 'http://returns.example.com', {} as TokenPlace);

  const ticked = tick('broken');

  await expect(ticked).rejects.toThrow(
    /^The entry of source broken is not valid\. settings\.baseUrl: .*must begin with https.*token: /,
  );
});

describe("a source's token is sent only to the address that it belongs to", () => {
  // Whoever may write entries can name any token, and can call an entry the stack's.
  test.each<[string, DeclaredBy, () => string]>([
    ['the token of a source of the stack', 'command', () => STACK_TOKEN],
    ['it in an entry that claims to be of the stack', 'stack', () => STACK_TOKEN],
    ['a token for another address', 'command', () => `${tokenNamesFor(FEED, service.url).ofSecrets}a`],
    ['a token that names no address', 'command', () => `${FEED}/tokens/main`],
  ])('not with %s', async (name, declaredBy, token) => {
    const source = `added-${name.length}`;
    await configure(source, otherUrl, { secretId: token() }, { declaredBy });

    const ticked = tick(source);

    await expect(ticked).rejects.toThrow('its name must begin with');
    expect(sentElsewhere).toEqual([]);
  });

  test('with a secret whose name contains the host', async () => {
    const secretId = `${tokenNamesFor(FEED, otherUrl).ofSecrets}main`;
    aws.versions.set(secretId, [{ text: ADDED_TOKEN, createdAt: 0 }]);
    await configure('added', otherUrl, { secretId });

    await tick('added');

    expect(sentElsewhere[0]).toContain(ADDED_TOKEN);
  });

  test('with a SecureString whose name contains the host', async () => {
    const parameter = `${tokenNamesFor(FEED, otherUrl).ofParameters}main`;
    aws.parameters.set(parameter, { Name: parameter, Value: ADDED_TOKEN });
    await configure('by-parameter', otherUrl, { parameter });

    await tick('by-parameter');

    expect(sentElsewhere[0]).toContain(ADDED_TOKEN);
  });

  test('with a token that was encrypted for the source at that address', async () => {
    await configure('inside', otherUrl, { encrypted: await encrypted('inside', otherUrl, ADDED_TOKEN) });

    await tick('inside');

    expect(sentElsewhere[0]).toContain(ADDED_TOKEN);
  });

  test.each([
    ['another source', () => encrypted('neighbour', otherUrl, ADDED_TOKEN)],
    ['another address', () => encrypted('moved', service.url, ADDED_TOKEN)],
  ])('not with a token that was encrypted for %s', async (_, encrypt) => {
    await configure('moved', otherUrl, { encrypted: await encrypt() });

    await tick('moved');

    expect(logged.join()).toContain("The source's token can't be read (InvalidCiphertextException)");
    expect(sentElsewhere).toEqual([]);
  });

  test('with the new token from the next tick on, after the entry got another', async () => {
    await configure('rotated', service.url, {
      encrypted: await encrypted('rotated', service.url, service.token),
    });
    await tick('rotated');
    const before = logged.splice(0).join();
    await configure('rotated', service.url, {
      encrypted: await encrypted('rotated', service.url, 'another'),
    });

    await tick('rotated');

    expect(before).toContain('"outcome":"done"');
    expect(logged.join()).toContain('refuses the token');
  });
});

describe('a tick that opens a minute', () => {
  const progress = () => createDynamoDbProgress({ ...tables, clock: hastyClock });
  const open = (source: string, more: object = {}) => tick(source, { opensMinute: true, ...more });

  test('is noted for the dispatcher, others are not', async () => {
    await tick('acme');
    const before = await progress().readLong(['acme']);

    await open('acme');

    expect(before.size).toBe(0);
    const note = (await progress().readLong(['acme'])).get('acme');
    expect(note).toMatchObject({ slot, failed: false, held: 0, setAside: 0 });
    expect(Math.abs((note?.readAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(note?.stayUntil).toBeUndefined();
  });

  test('notes that the source stays with the long queue while it is not read completely', async () => {
    const token = { encrypted: await encrypted('refused', service.url, 'another-token') };
    await configure('refused', service.url, token);

    await open('refused');

    const note = (await progress().readLong(['refused'])).get('refused');
    expect(note).toMatchObject({ failed: true, why: 'refused', stayUntil: slot + 600_000 });
  });

  test('is noted as failed if it throws, so that the next one need not wait', async () => {
    await configure('foreign', otherUrl, { secretId: STACK_TOKEN });

    await expect(open('foreign')).rejects.toThrow();

    expect((await progress().readLong(['foreign'])).get('foreign')).toMatchObject({ slot, failed: true });
  });

  test('reports that a source was polled, and its freshness only where the source has an alarm', async () => {
    await open('acme');
    const without = logged.filter((line) => line.includes('SecondsBehind'));
    await open('acme', { alarm: true });

    expect(logged.filter((line) => line.includes('"SourcesPolled":1'))).toHaveLength(2);
    expect(without).toEqual([]);
    expect(logged.filter((line) => line.includes('"SecondsBehind":0'))).toHaveLength(1);
  });
});

test('a shard of a removed source polls nothing, and does not fail', async () => {
  const body = JSON.stringify({ minute: 1, shard: 0, slot: Date.now(), sources: [{ source: 'gone' }] });
  const event = { Records: [{ body, attributes: { ApproximateReceiveCount: '1' } }] };

  await handler(event as SQSEvent, contextOf('poller'));

  expect(logged).toEqual([
    expect.stringContaining('"message":"Polled a shard."'),
    expect.stringContaining('"SourcesPolled":0'),
  ]);
});
