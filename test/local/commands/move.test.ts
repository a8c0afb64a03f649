// `move` as a shell sees it, from a data directory to the tables of a deployment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDynamoDbSourceDirectory } from '../../../functions/adapters/dynamodb-source-directory.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { lockForWatch } from '../../../local/store/watch-lock.ts';
import { aState } from '../../contract/sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { runFeed } from '../cli/run-feed.ts';

vi.setConfig({ testTimeout: 120_000 });

const URL = 'https://wms.example.com/returns';
let tables: TestTables;
let data: string;

beforeAll(async () => {
  tables = await openTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'move-'));
});
afterEach(() => rm(data, { recursive: true }));

/** A directory with a source that `watch` has polled. */
async function polledSource(source: string, urls: readonly string[] = []): Promise<void> {
  const store = await openStore(data);
  const baseUrl = 'https://returns.example.com/api';
  await store.states.save(aState(source, 1, { mintedIn: await store.states.identity(), baseUrl }), 0);
  await store.forwards.replace(urls.map((address, at) => ({ id: `forward-${at}`, address, filter: {} })));
  await store.close();
}

function move(...args: string[]) {
  const { sources, snapshots, ledger, marks } = tables.tables;
  return runFeed(['move', '--data', data, ...args], {
    environment: {
      ...{ AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint, AWS_REGION: 'eu-west-1' },
      ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
      ...{ SOURCES_TABLE: sources, SNAPSHOTS_TABLE: snapshots, LEDGER_TABLE: ledger, MARKS_TABLE: marks },
    },
  });
}

async function addEntry(name: string, isPaused: boolean): Promise<void> {
  const directory = createDynamoDbSourceDirectory({ ...tables, clock: hastyClock });
  const settings = { name, baseUrl: 'https://returns.example.com/api' };
  const given = { settings, token: { secretId: 'token' } };
  await directory.save({ name, declaredBy: 'stack', isPaused, given }, 0);
}

test('moves every source of the directory, and says how to poll it there; again, it says that it did', async () => {
  await polledSource('acme');

  const moved = await move();
  const again = await move();

  expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^moved: source acme, 0 returns/) });
  expect(moved.stdout).toContain(
    'sources add acme --base-url https://returns.example.com/api --token-file FILE',
  );
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^moved before: source acme/) });
  expect(await storesOn(tables.client, tables.tables).states.load('acme')).toMatchObject({ source: 'acme' });
});

test('says to resume a source that the stack has paused', async () => {
  await polledSource('paused');
  await addEntry('paused', true);

  const { stdout } = await move();

  expect(stdout).toContain('returns-feed sources resume paused');
});

test.each<[string, () => Promise<unknown>, readonly string[], string]>([
  ['while "watch" runs', () => lockForWatch(data), [], 'stop it first'],
  [
    'a source that the directory does not have',
    async () => {},
    ['--source', 'gone'],
    'There is no source "gone"',
  ],
  ['a webhook for a URL that was none', async () => {}, ['--webhook', `${URL}=Wms`], 'did not forward to'],
  ['a source that the deployment polls', () => addEntry('busy', false), [], 'pause it first'],
])('does not move %s, and changes nothing', async (_, arrange, args, message) => {
  await polledSource('busy');
  await arrange();

  const refused = await move(...args);

  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(await storesOn(tables.client, tables.tables).states.load('busy')).toBeUndefined();
});

test('needs a webhook for each forwarded URL, or the word that it is left', async () => {
  await polledSource('forwarding', [URL]);

  const refused = await move();
  const left = await move('--leave', URL);

  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`"watch" forwarded to ${URL}`) });
  expect(left.code).toBe(0);
});
