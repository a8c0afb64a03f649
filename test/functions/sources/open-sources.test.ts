// Sources are added and changed on the engine of tables, with a key that binds tokens to their context, and tried at the
// reference service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDynamoDbSourceDirectory,
  type DirectoryEntry,
  type SourceDirectory,
} from '../../../functions/adapters/dynamodb-source-directory.ts';
import { decryptToken } from '../../../functions/adapters/encrypted-token.ts';
import {
  InvalidSourceError,
  type NewSource,
  openSources,
  SourceConflictError,
  type Sources,
  SourcesRefusedError,
  StackSourceError,
  UnknownSourceError,
  UnreadableSourceError,
} from '../../../functions/sources/open-sources.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { aState } from '../../contract/sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { type KmsEngine, startKmsEngine } from '../../engines/kms-engine.ts';

const TOKEN = 'the-token-of-the-store';
const SECRET = { secretId: 'feed-1/tokens/globex.example.com/main' };

let tables: TestTables;
let keys: KmsEngine;
let kms: KMSClient;
let service: ReferenceService;
let directory: SourceDirectory;
let sources: Sources;

beforeAll(async () => {
  [keys, service] = await Promise.all([
    startKmsEngine(),
    createReferenceService({ groups: 3, token: TOKEN, life: false }),
  ]);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  kms = new KMSClient({ endpoint: keys.endpoint, region: 'eu-west-1', credentials });
});
afterAll(async () => {
  kms.destroy();
  await Promise.all([keys.stop(), service.close()]);
});

beforeEach(async () => {
  tables = await openTables();
  const { client: dynamoDb } = tables;
  directory = createDynamoDbSourceDirectory({ ...tables, clock: hastyClock });
  const sourcesTable = tables.tables.sources;
  sources = openSources({ sourcesTable, feedName: 'feed-1', tokenKey: keys.key, dynamoDb, kms });
  const settings = { name: 'declared', baseUrl: 'https://declared.example.com' };
  const given = { settings, token: { secretId: 'declared' } };
  await directory.save({ name: 'declared', declaredBy: 'stack', isPaused: false, given }, 0);
  return async () => {
    sources.close();
    await tables.close();
  };
});

/** A store of the service with its own path, so that each may have the same token. */
function aSource(name: string, changes: Partial<NewSource> = {}): NewSource {
  return { name, baseUrl: service.url, token: TOKEN, requestsPerMinute: 10, ...changes };
}

const find = async (name: string) => (await directory.find(name)) as DirectoryEntry;

/** The token in an entry, if it may be sent to this address. */
async function decrypt(name: string, baseUrl: string, feed = 'feed-1'): Promise<string> {
  const { token } = await find(name);
  const encrypted = 'encrypted' in token ? token.encrypted : '';
  return decryptToken(kms, { feed, settings: { name, baseUrl } }, encrypted);
}

describe('a source that is added', () => {
  it('is tried with one request, and its entry has the token for this feed and address alone', async () => {
    const before = service.control.requests().length;

    const written = await sources.add(aSource('acme', { intervalMs: 300_000 }));

    expect(written).toEqual({ added: ['acme'], changed: [], unchanged: [] });
    expect(service.control.requests().length - before).toBe(1);
    expect(JSON.stringify(await find('acme'))).not.toContain(TOKEN);
    const others = ['http://localhost', 'https://127.0.0.1'].map(
      (it) => `${it}:${new URL(service.url).port}`,
    );
    expect(await decrypt('acme', service.url)).toBe(TOKEN);
    for (const other of others) await expect(decrypt('acme', other)).rejects.toThrow('InvalidCiphertext');
    await expect(decrypt('acme', service.url, 'feed-2')).rejects.toThrow('InvalidCiphertext');
  });

  it('is walked and reported each hour unless it is set; a declared one as before', async () => {
    await sources.add(aSource('acme'));
    await sources.add(aSource('globex', { reconcileMs: 600_000, sourceRead: true }));

    const settingsOf = async (name: string) => (await find(name)).settings;
    expect(await settingsOf('acme')).toMatchObject({ reconcileMs: 3_600_000, sourceRead: 3_600_000 });
    expect(await settingsOf('globex')).toMatchObject({ reconcileMs: 600_000, sourceRead: true });
    expect((await settingsOf('declared')).reconcileMs).toBeUndefined();
    expect((await settingsOf('declared')).sourceRead).toBe(true);
  });

  it('is left alone when it is added again as it is, and replaced when it differs', async () => {
    await sources.add(aSource('acme', { intervalMs: 300_000 }));
    await sources.pause('acme');
    const asked = keys.asked.Encrypt;

    const again = await sources.add(aSource('acme', { intervalMs: 300_000 }));
    const other = await sources.add(aSource('acme'));

    expect([again.unchanged, other.changed]).toEqual([['acme'], ['acme']]);
    expect(keys.asked.Encrypt - asked).toBe(1);
    expect(await find('acme')).toMatchObject({
      version: 3,
      isPaused: true,
      settings: { intervalMs: 60_000 },
    });
  });

  it('may name its token, which nobody but the poller can read: it is not tried, and needs no key', async () => {
    const { sources: sourcesTable } = tables.tables;
    const without = openSources({ sourcesTable, feedName: 'feed-1', dynamoDb: tables.client, kms });
    const named = { name: 'globex', baseUrl: 'https://globex.example.com', token: SECRET };

    await without.add(named);
    const refused = without.add(aSource('acme'));

    await expect(refused).rejects.toThrow(/no key that encrypts tokens/);
    expect((await find('globex')).token).toEqual(SECRET);
    without.close();
  });

  it.each<[string, Partial<NewSource>, new (message: string) => Error, string]>([
    ['a refused token', { token: 'another' }, UnreadableSourceError, '401'],
    [
      'a service that does not answer',
      { baseUrl: 'http://127.0.0.1:1' },
      UnreadableSourceError,
      'ECONNREFUSED',
    ],
    ['an empty token', { token: ' \n' }, InvalidSourceError, 'is empty'],
    ['a token with a line feed inside', { token: 'a\nb' }, UnreadableSourceError, 'token'],
    ['a name of the stack', { name: 'declared' }, StackSourceError, 'The stack declares'],
    ['an invalid name', { name: 'A b' }, InvalidSourceError, 'A source name must be'],
    ['no https', { baseUrl: 'http://shop.example.com' }, InvalidSourceError, 'must begin with https'],
    ['an interval that no tick keeps', { intervalMs: 7_000 }, InvalidSourceError, 'divide a minute'],
    ['walks before polls', { intervalMs: 600_000, reconcileMs: 300_000 }, InvalidSourceError, 'reconcile'],
    ['too large a budget', { requestsPerMinute: 301 }, InvalidSourceError, 'from 10 to 300'],
    ['too long a timeout', { requestTimeoutMs: 60_000 }, InvalidSourceError, 'at most 15s'],
    ['a setting of no source', { interval: 5 } as never, InvalidSourceError, 'no setting "interval"'],
    ['a value of another type', { settleMs: '5s' } as never, InvalidSourceError, 'settleMs: '],
    [
      'the secret of another address',
      { baseUrl: 'https://evil.example.com', token: SECRET },
      InvalidSourceError,
      'must begin with feed-1/tokens/evil.example.com/',
    ],
    [
      'a parameter with another name',
      { baseUrl: 'https://globex.example.com', token: { parameter: '/globex' } },
      InvalidSourceError,
      'must begin with /feed-1/tokens/globex.example.com/',
    ],
  ])('is refused with its reason, and nothing is written: %s', async (_, changes, kind, reason) => {
    const adding = sources.add(aSource('acme', changes));

    await expect(adding).rejects.toThrow(kind);
    await expect(adding).rejects.toThrow(reason);
    expect(await sources.list()).toMatchObject([{ name: 'declared' }]);
  });

  it('is written without a try where that is asked', async () => {
    await sources.add(aSource('acme', { token: 'another' }), { isTried: false });

    expect(await decrypt('acme', service.url)).toBe('another');
  });
});

describe('many sources', () => {
  it('are refused together, with the problems of all, before the first request', async () => {
    const before = service.control.requests().length;
    const budget = { requestsPerMinute: 200 };

    const adding = sources.addAll([
      aSource('good', { token: 'of-good' }),
      aSource('bad', { intervalMs: 7_000, token: 'of-bad' }),
      aSource('declared', { token: 'of-declared' }),
    ]);
    const sharing = sources.addAll([aSource('one', budget), aSource('two', budget)]).catch(String);
    const twice = sources.addAll([aSource('one'), aSource('one')]).catch(String);

    const refusal = await adding.catch((error: SourcesRefusedError) => error);
    expect(refusal).toBeInstanceOf(SourcesRefusedError);
    expect((refusal as SourcesRefusedError).problems.map(({ index, error }) => [index, error.name])).toEqual([
      [1, 'InvalidSourceError'],
      [2, 'StackSourceError'],
    ]);
    expect(await sharing).toContain('"one" and "two" use one token');
    expect(await twice).toContain('"one" is given twice');
    expect(service.control.requests().length).toBe(before);
    expect(await sources.list()).toHaveLength(1);
  });

  it('share the budget of a token with those that are there, also by another form of its name', async () => {
    const baseUrl = 'https://globex.example.com';
    const secretId = `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${SECRET.secretId}-AbCdEf`;
    await sources.add({ name: 'globex', baseUrl, token: SECRET });

    const second = sources.add({ name: 'globex-2', baseUrl, token: { secretId } });

    await expect(second).rejects.toThrow('"globex-2" and "globex" use one token');
  });

  it('are all tried before the first is written', async () => {
    const steps: string[] = [];
    const options = {
      onProgress: (step: string, done: number, of: number) => void steps.push(`${step} ${done}/${of}`),
    };
    const good = ['one', 'two'].map((name) => aSource(name));

    const refused = await sources.addAll([...good, aSource('bad', { token: 'x' })], options).catch(String);
    const inBetween = await sources.list();
    const written = await sources.addAll(good, options);

    expect(refused).toContain('Source "bad" can\'t be read');
    expect(inBetween).toHaveLength(1);
    expect(written.added).toEqual(['one', 'two']);
    expect(steps.slice(-4)).toEqual(['tried 1/2', 'tried 2/2', 'written 1/2', 'written 2/2']);
  });
});

describe('a change', () => {
  it('keeps what is not given, and the token', async () => {
    await sources.add(aSource('acme', { lookbackMs: 600_000 }));

    await sources.set('acme', { intervalMs: 300_000, lookbackMs: undefined });

    expect((await find('acme')).given.settings).toEqual({
      ...{ name: 'acme', baseUrl: service.url, requestsPerMinute: 10 },
      ...{ lookbackMs: 600_000, intervalMs: 300_000 },
    });
    expect(await decrypt('acme', service.url)).toBe(TOKEN);
  });

  it('to another address needs the token again, which is then tried there', async () => {
    const other = await createReferenceService({ groups: 1, token: 'of-the-other', life: false });
    await sources.add(aSource('acme'));

    const without = sources.set('acme', { baseUrl: other.url });
    await expect(without).rejects.toThrow('another address needs it again');
    await sources.set('acme', { baseUrl: other.url, token: 'of-the-other' });

    expect(await decrypt('acme', other.url)).toBe('of-the-other');
    await other.close();
  });

  it('of the token is tried first: a refused one leaves the old', async () => {
    await sources.add(aSource('acme'), { isTried: false });
    await sources.add(aSource('globex', { token: 'old' }), { isTried: false });

    const refused = sources.rotateToken('acme', 'refused');
    await expect(refused).rejects.toThrow(UnreadableSourceError);
    await sources.rotateToken('globex', TOKEN);

    expect(await Promise.all(['acme', 'globex'].map((name) => decrypt(name, service.url)))).toEqual([
      TOKEN,
      TOKEN,
    ]);
  });

  it('does not overwrite another one that was made while the token was tried', async () => {
    const meddling = createServer(async (_, response) => {
      await sources.pause('acme');
      response.end('[]');
    }).listen(0, '127.0.0.1');
    await once(meddling, 'listening');
    const baseUrl = `http://127.0.0.1:${(meddling.address() as AddressInfo).port}`;
    await sources.add(aSource('acme', { baseUrl }), { isTried: false });

    const changing = sources.set('acme', { token: 'new' });

    await expect(changing).rejects.toThrow(SourceConflictError);
    expect(await find('acme')).toMatchObject({ isPaused: true });
    expect(await decrypt('acme', baseUrl)).toBe(TOKEN);
    meddling.close();
  });

  it('of a declared source is left to the stack, but for its pause', async () => {
    const changes = [
      () => sources.set('declared', { intervalMs: 300_000 }),
      () => sources.rotateToken('declared', TOKEN),
      () => sources.remove('declared'),
    ];

    for (const change of changes) await expect(change()).rejects.toThrow(StackSourceError);
    expect([await sources.pause('declared'), await sources.pause('declared')]).toEqual([true, false]);

    expect(await find('declared')).toMatchObject({ declaredBy: 'stack', isPaused: true, version: 2 });
    expect(await sources.resume('declared')).toBe(true);
  });

  it('of an unknown source is an error', async () => {
    const changes = [
      () => sources.pause('nope'),
      () => sources.remove('nope'),
      () => sources.set('nope', {}),
    ];

    for (const change of changes) await expect(change()).rejects.toThrow(UnknownSourceError);
  });

  it('that removes a source leaves its state, and lets it be added again', async () => {
    const { states } = storesOn(tables.client, tables.tables);
    await states.save(aState('acme'), 0);
    await sources.add(aSource('acme'));

    await sources.remove('acme');
    const between = await sources.list();
    await sources.add(aSource('acme'));

    expect(between.map(({ name }) => name)).toEqual(['declared']);
    expect(await states.load('acme')).toBeDefined();
    expect(await find('acme')).toMatchObject({ version: 1 });
  });
});

it('lists entries with their defaults, and never a token', async () => {
  await sources.add(aSource('acme'));

  const listed = await sources.list();

  expect(listed).toMatchObject([
    {
      name: 'acme',
      declaredBy: 'command',
      isPaused: false,
      token: 'encrypted',
      settings: { intervalMs: 60_000 },
    },
    { name: 'declared', declaredBy: 'stack', token: { secretId: 'declared' } },
  ]);
});
