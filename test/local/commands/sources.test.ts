// `sources` as a shell sees it, on a deployment: tables and the key of tokens are engines, the service has a store for each
// source, with its own token.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { aState } from '../../contract/sample-states.ts';
import { openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { type KmsEngine, startKmsEngine } from '../../engines/kms-engine.ts';
import { type Ended, runFeed } from '../cli/run-feed.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const TOKEN = 'the-token-of-the-store';

let keys: KmsEngine;
let service: Server;
let address: string;
let directory: string;
let tables: TestTables;

beforeAll(async () => {
  // The store /NAME has the token of-NAME.
  service = createServer(({ url, headers }, response) => {
    const [, store] = String(url).split('/');
    response.writeHead(headers['x-service-api-token'] === `of-${store}` ? 200 : 401).end('[]');
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  [keys, directory] = await Promise.all([startKmsEngine(), mkdtemp(join(tmpdir(), 'sources-'))]);
});
afterAll(async () => {
  service.close();
  await Promise.all([keys.stop(), rm(directory, { recursive: true })]);
});
beforeEach(async () => {
  tables = await openTables();
  return () => tables.close();
});

function runWith(options: { readonly input?: string }, ...args: string[]): Promise<Ended> {
  const { sources, snapshots, ledger, marks } = tables.tables;
  return runFeed(args, {
    ...options,
    environment: {
      ...{ AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint, AWS_ENDPOINT_URL_KMS: keys.endpoint },
      ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
      ...{ SOURCES_TABLE: sources, SNAPSHOTS_TABLE: snapshots, LEDGER_TABLE: ledger, MARKS_TABLE: marks },
      ...{ FEED_NAME: 'feed-1', TOKEN_KEY: keys.key },
    },
  });
}
const run = (...args: string[]) => runWith({}, 'sources', ...args);

/** Adds a source with its token on standard input. */
const add = (name: string, ...options: string[]) =>
  runWith({ input: `of-${name}\n` }, 'sources', 'add', name, ...given(name), ...options);
const given = (name: string) => ['--base-url', `${address}/${name}`, '--token-file', '-'];

async function list(...options: string[]) {
  const { stdout } = await run('list', '--json', ...options);
  return JSON.parse(stdout) as {
    sources: { source: string; state: string; configured: object }[];
    next: string;
  };
}

describe('a source that is added', () => {
  test('is listed with its settings, changed when it is added again, and removed', async () => {
    const added = await add('globex', '--every', '10s', '--budget', '40');
    const again = await add('globex', '--every', '10s', '--budget', '40');
    const changed = await add('globex', '--every', '15m', '--no-source-read');
    const { sources } = await list();
    const removed = await run('remove', 'globex');
    const empty = await run('list');

    expect(added).toEqual({ code: 0, stderr: '', stdout: 'added: source globex is polled every 10 s.\n' });
    expect(again.stdout).toMatch(/^unchanged: source globex/);
    expect(changed.stdout).toMatch(/^changed: source globex is polled every 15 min/);
    expect(sources).toMatchObject([
      { source: 'globex', state: 'new', configured: { intervalMs: 900_000, token: 'encrypted' } },
    ]);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed: source globex/) });
    expect(empty.stdout).toBe('no source yet\n');
  });

  test('is not tried where only the poller can read its token, and says so', async () => {
    const secret = 'feed-1/tokens/globex.example.com/main';
    const url = 'https://globex.example.com';

    const { stdout } = await run('add', 'globex', '--base-url', url, '--token-secret', secret);
    const listed = await run('list');

    expect(stdout).toMatch(/^added: source globex is polled every 60 s\.\nIt was not tried/);
    expect(listed.stdout).toMatch(
      /^globex {2}not polled yet {4}every 60 s {2}https\S+ {2}token in secret feed-1/,
    );
  });

  test.each([
    ['no place for the token', ['--base-url', 'https://globex.example.com'], 2, '--token-file'],
    ['two places for the token', [...given('globex'), '--token-secret', 'a'], 2, 'the token once'],
    ['no address', ['--token-secret', 'a'], 2, '--base-url'],
    ['an interval that no tick keeps', ['--every', '7s'], 2, 'divide a minute'],
    ['a refused token', [], 1, '401'],
  ])('is rejected in one line: %s', async (_, options, code, reason) => {
    const all = options.length === 0 || options[0] === '--every' ? [...given('globex'), ...options] : options;

    const ended = await runWith({ input: 'wrong' }, 'sources', 'add', 'globex', ...all);

    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    expect(ended.stderr).toContain(reason);
    expect((await list()).sources).toEqual([]);
  });
});

describe('a file of sources', () => {
  const csv = (names: readonly string[]) =>
    ['name,base-url,token,every', ...names.map((name) => `${name},${address}/${name},of-${name},5m`)].join(
      '\n',
    );

  test('adds a thousand within two minutes, and writes only what has changed when it is given again', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `shop-${1_000 + index}`);
    const startedAt = Date.now();

    const first = await runWith({ input: csv(names) }, 'sources', 'add', '--file', '-');
    const tookMs = Date.now() - startedAt;
    const again = await runWith(
      { input: `${csv(names)}\nnext,${address}/next,of-next,` },
      'sources',
      'add',
      '--file',
      '-',
    );
    const page = await list('1', '--limit', '2', '--after', 'shop-1500');
    const failing = await list('--state', 'failing');
    const shown = await run('list', '--limit', '3');

    console.log(`1,000 sources were added in ${tookMs} ms`);
    expect(first).toMatchObject({ code: 0, stdout: '1,000 sources: 1,000 added, 0 changed, 0 unchanged.\n' });
    expect(tookMs).toBeLessThan(120_000);
    expect(again.stdout).toBe('1,001 sources: 1 added, 0 changed, 1,000 unchanged.\n');
    expect(page.sources.map(({ source }) => source)).toEqual(['shop-1501', 'shop-1502']);
    expect(page.next).toBe('shop-1502');
    expect(failing).toEqual({ sources: [], next: null });
    expect(shown.stdout).toMatch(/\nThe first 3 sources; more: --after shop-1001\n$/);
  });

  test('reads its tokens beside it, as lines of JSON with the words of the options', async () => {
    const file = join(directory, 'stores.jsonl');
    await writeFile(join(directory, 'acme.token'), 'of-acme\n');
    const line = { name: 'acme', baseUrl: `${address}/acme`, tokenFile: 'acme.token', every: '30s' };
    await writeFile(file, `\n${JSON.stringify({ ...line, include: ['order_tags'], sourceRead: '2h' })}\n`);

    const ended = await run('add', '--file', file);

    expect(ended).toEqual({ code: 0, stderr: '', stdout: '1 source: 1 added, 0 changed, 0 unchanged.\n' });
    expect((await list()).sources).toMatchObject([{ configured: { intervalMs: 30_000 } }]);
  });

  test.each([
    [
      'CSV',
      [
        'name,baseUrl,token,budget,customerData',
        'A B,https://a.example.com,secret-a,,',
        'one,https://a.example.com,,,',
        'two,https://a.example.com,secret-b,many,perhaps',
      ],
      ['line 2: name:', 'line 3: The source needs its token', 'line 4: budget:', 'line 4: customerData:'],
    ],
    [
      'JSON',
      ['{"name":"one","token":secret-c}', '{"name":"two","token":"secret-d","nmae":1}', '{"name":3}'],
      [
        'line 1: it is no JSON object',
        'line 2: baseUrl:',
        'line 2: the line: Unrecognized key: "nmae"',
        'line 3: name:',
      ],
    ],
    [
      'CSV without its names',
      ['one,https://a.example.com,secret-e'],
      ['line 1: column 1 has none of the names'],
    ],
    ['CSV with a quote', ['name,token', 'one,a"secret-f"'], ["line 2: it can't be read as CSV"]],
    [
      "sources that can't be added",
      [
        'name,base-url,token,every',
        'one,https://a.example.com,secret-g,7s',
        'two,http://a.example.com,secret-h,',
      ],
      ['line 2: The time between polls', 'line 3: The base URL must begin with https'],
    ],
    [
      'refused tokens',
      ['name,base-url,token', 'one,ADDRESS/one,secret-i'],
      ['line 2: Source "one" can\'t be read'],
    ],
  ])(
    'is rejected with all problems and their lines, and no token is shown: %s',
    async (_, lines, problems) => {
      const input = lines.join('\n').replaceAll('ADDRESS', address);

      const { code, stdout, stderr } = await runWith({ input }, 'sources', 'add', '--file', '-');

      expect({ code, stdout }).toEqual({ code: expect.toBeOneOf([1, 2]), stdout: '' });
      for (const problem of problems) expect(stderr).toContain(problem);
      expect(stderr).not.toContain('secret-');
      expect((await list()).sources).toEqual([]);
    },
  );

  test('has all settings in its lines', async () => {
    const ended = await run('add', '--file', 'stores.csv', '--every', '5m');

    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('With --file each line') });
  });

  test('may not hold tokens where it is kept', async () => {
    const file = join(directory, 'with-token.csv');
    await writeFile(file, csv(['one']));

    const { code, stderr } = await run('add', '--file', file);

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('standard input only') });
  });
});

describe('a source that is changed', () => {
  test('is paused and resumed with others, and one that is unknown costs them nothing', async () => {
    const { states } = storesOn(tables.client, tables.tables);
    await states.save(aState('globex', 1, { mintedIn: await states.identity() }), 0);
    await add('globex');

    const paused = await run('pause', 'nope', 'globex');
    const listed = await list('--state', 'paused');
    const status = await runWith({}, 'status');
    const resumed = await run('resume', 'globex');
    await run('remove', 'globex');
    const removed = await runWith({}, 'status', '--json');

    expect(paused).toMatchObject({ code: 1, stdout: 'paused: source globex\n' });
    expect(paused.stderr).toContain('There is no source "nope"');
    expect(listed.sources.map(({ source }) => source)).toEqual(['globex']);
    expect(status.stdout).toMatch(/\nglobex {2}paused: operators have stopped its polls\n/);
    expect(resumed.stdout).toBe('resumed: source globex\n');
    expect(JSON.parse(removed.stdout)).toMatchObject({ sources: [{ verdict: 'removed' }], concerns: [] });
  });

  test('gets only the given settings, and another token once that was tried', async () => {
    await add('globex', '--every', '10m');

    const set = await run('set', 'globex', '--budget', '30');
    const nothing = await run('set', 'globex');
    const moved = await run('set', 'globex', '--base-url', 'https://globex.example.com');
    const refused = await runWith(
      { input: 'wrong' },
      'sources',
      'rotate-token',
      'globex',
      '--token-file',
      '-',
    );
    const rotated = await runWith(
      { input: 'of-globex' },
      'sources',
      'rotate-token',
      'globex',
      '--token-file',
      '-',
    );

    expect(set).toMatchObject({ code: 0, stdout: 'changed: source globex\n' });
    expect((await list()).sources).toMatchObject([{ configured: { intervalMs: 600_000 } }]);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('Give the settings') });
    expect(moved).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('another address needs it again'),
    });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('401') });
    expect(rotated).toMatchObject({ code: 0, stdout: 'unchanged: source globex\n' });
  });
});

describe('a source with restored tables', () => {
  test('is listed as restored, and continues in a new generation after `sources restore`', async () => {
    const { states } = storesOn(tables.client, tables.tables);
    const lease = { owner: '', epoch: 1, expiresAt: 0 };
    await states.save(aState('acme', 1, { mintedIn: 'the tables before', lease }), 0);

    const listed = await run('list');
    const restored = await run('restore', 'acme');
    const again = await run('restore', 'acme');

    const state = await states.load('acme');
    expect(listed.stdout).toMatch(/^acme {2}restored, stopped {2}generation mi8x2k/);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toContain(`generation ${state?.generation} (it was mi8x2k)`);
    expect(state).toMatchObject({
      version: 2,
      mintedIn: await states.identity(),
      mode: 'emit',
    });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
  });
});

describe('a source on this machine', () => {
  test('is announced again by the next watch after a forced new generation', async () => {
    const service = await createReferenceService({ groups: 20, token: TOKEN, life: false });
    const data = join(directory, 'state');
    const watch = ['watch', '--base-url', service.url, '--source', 'acme', '--data', data, '--json'];
    const rounds = ['--every', '500ms', '--for', '4s'];

    const first = await runFeed([...watch, ...rounds], { token: TOKEN });
    const listed = await runFeed(['sources', 'list', '--data', data]);
    const forced = await runFeed(['sources', 'restore', 'acme', '--force', '--data', data]);
    const second = await runFeed([...watch, ...rounds], { token: TOKEN });
    await service.close();

    const groupsOf = ({ stdout }: Ended) =>
      stdout.split('\n').filter((line) => line.includes('"return_group.created"'));
    const [known, anew] = [first, second].map((ended) =>
      groupsOf(ended).map((line) => JSON.parse(line) as FeedEvent),
    );
    expect(known?.length).toBeLessThan(5);
    expect(listed.stdout).toMatch(
      /^acme {2}stopped {2}generation \w+ {2}watch --base-url http:\S+ --source acme --json --every 500ms\n$/,
    );
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    expect(anew?.map(({ data }) => data.sequence)).toEqual(Array(20).fill(1));
    expect(forced.stdout).toContain(`generation ${anew?.[0]?.data.generation} `);
  });
});
