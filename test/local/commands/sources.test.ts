// `sources` as a shell sees it, on a deployment with tables on an engine and fakes for everything else.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDynamoDbActivities } from '../../../functions/adapters/dynamodb-activities.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { aState } from '../../contract/sample-states.ts';
import { openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { type Ended, runFeed } from '../cli/run-feed.ts';
import { type FakeAws, startFakeAws } from './fake-aws.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATH = '/feed-1/sources';
const STACK_PATH = '/feed-1/stack-sources';
const SECRET =
  'arn:aws:secretsmanager:eu-west-1:111122223333:secret:feed-1/tokens/globex.example.com/main-AbCdEf';
const TOKEN = 'the-token-of-the-store';

let tables: TestTables;
let aws: FakeAws;
let directory: string;

beforeAll(async () => {
  [tables, directory] = await Promise.all([openTables(), mkdtemp(join(tmpdir(), 'sources-'))]);
});
afterAll(async () => {
  await tables.close();
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  aws = await startFakeAws();
  aws.secrets.set('feed-1/tokens/globex.example.com/main', SECRET);
  aws.secrets.set('globex', SECRET.replace('feed-1/tokens/globex.example.com/main', 'globex'));
  aws.parameters.set(`${STACK_PATH}/acme`, {
    Name: `${STACK_PATH}/acme`,
    Value: JSON.stringify({
      settings: { name: 'acme', baseUrl: 'https://acme.example.com' },
      token: { secretId: 'acme' },
    }),
  });
  aws.schedules.set('acme-1', {
    Name: 'acme-1',
    Target: { Arn: 'arn:aws:sqs:eu-west-1:111122223333:ticks', RoleArn: 'arn:r', Input: '{"source":"acme"}' },
  });
  aws.alarms.set('acme', {
    AlarmName: 'acme',
    Statistic: 'Maximum',
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    Dimensions: [
      { Name: 'service', Value: 'feed-1' },
      { Name: 'source', Value: 'acme' },
    ],
  });
  return () => aws.close();
});

const run = (...args: string[]): Promise<Ended> =>
  runFeed(['sources', ...args], {
    environment: {
      AWS_ENDPOINT_URL: aws.url,
      AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      SOURCES_TABLE: tables.tables.sources,
      SNAPSHOTS_TABLE: tables.tables.snapshots,
      LEDGER_TABLE: tables.tables.ledger,
      MARKS_TABLE: tables.tables.marks,
      FEED_NAME: 'feed-1',
      SCHEDULES_GROUP: 'schedules',
    },
  });

const TOKEN_SECRET = 'feed-1/tokens/globex.example.com/main';
const GLOBEX = ['globex', '--base-url', 'https://globex.example.com', '--token-secret', TOKEN_SECRET];

describe('a source that is added', () => {
  test('gets its schedule last, after everything that its poller reads', async () => {
    const { code, stdout, stderr } = await run('add', ...GLOBEX, '--every', '10s', '--budget', '40');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^added: source globex [^\n]+\n$/);
    expect(aws.changes).toEqual(['PutParameter', 'PutMetricAlarm', 'POST schedule']);
    expect(JSON.parse(aws.parameters.get(`${PATH}/globex`)?.Value)).toMatchObject({
      settings: { name: 'globex', intervalMs: 10_000, requestsPerMinute: 40 },
      token: { secretId: TOKEN_SECRET },
    });
    expect(JSON.parse(aws.schedules.get('source-globex')?.Target.Input)).toEqual({ source: 'globex' });
    expect(aws.alarms.get('feed-1-Freshness-globex')).toMatchObject({ EvaluationPeriods: 5 });
  });

  test('is changed when it is added again, listed, and removed', async () => {
    await run('add', ...GLOBEX);
    await run('add', ...GLOBEX, '--every', '15m');
    const schedule = aws.schedules.get('source-globex')?.ScheduleExpression;
    const listed = JSON.parse((await run('list', '--json')).stdout).sources;
    const activities = createDynamoDbActivities(tables);
    for (const source of ['globex', 'acme']) await activities.save(source, { minutes: [], recent: [] });
    const { code } = await run('remove', 'globex');

    expect(schedule).toBe('rate(15 minutes)');
    expect(listed).toContainEqual({
      source: 'globex',
      configured: expect.objectContaining({ intervalMs: 900_000, token: { secretId: TOKEN_SECRET } }),
      watched: null,
      state: null,
    });
    expect(code).toBe(0);
    expect([...aws.parameters.keys(), ...aws.schedules.keys(), ...aws.alarms.keys()]).toEqual([
      `${STACK_PATH}/acme`,
      'acme-1',
      'acme',
    ]);
    expect(await activities.load('globex')).toBeUndefined();
    expect(await activities.load('acme')).toBeDefined();
  });

  test.each([
    ['a source of the stack', ['add', ...GLOBEX.with(0, 'acme')], 1, 'in the stack'],
    ['a missing secret', ['add', ...GLOBEX.with(4, 'nope')], 1, 'The secret nope can'],
    [
      'a secret that the poller may not read',
      ['add', ...GLOBEX.with(4, 'globex')],
      2,
      'begin with feed-1/tokens/globex.example.com/',
    ],
    [
      'the token of another address',
      ['add', ...GLOBEX.with(2, 'https://evil.example.com')],
      2,
      'begin with feed-1/tokens/evil.example.com/',
    ],
    ['no place for the token', ['add', ...GLOBEX.slice(0, 3)], 2, '--token-secret'],
    ['an interval that no schedule can have', ['add', ...GLOBEX, '--every', '7s'], 2, 'divide a minute'],
    [
      'cycles shorter than the interval',
      ['add', ...GLOBEX, '--every', '10m', '--reconcile', '5m'],
      2,
      'must be at least --every',
    ],
    ['an invalid address', ['add', ...GLOBEX.with(2, 'nonsense')], 2, 'URL'],
    [
      'the removal of a source of the stack',
      ['remove', 'acme'],
      1,
      'remove a source of the stack in the stack',
    ],
  ])('is rejected in one line, without any change: %s', async (_, args, code, reason) => {
    const ended = await run(...args);

    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    expect(ended.stderr).toContain(reason);
    expect(aws.changes).toEqual([]);
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
      /^acme {2}well {2}generation \w+ {2}watch --base-url http:\S+ --source acme --json --every 500ms\n$/,
    );
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    expect(anew?.map(({ data }) => data.sequence)).toEqual(Array(20).fill(1));
    expect(forced.stdout).toContain(`generation ${anew?.[0]?.data.generation} `);
  });
});
