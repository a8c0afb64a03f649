// The dispatcher and the poller's shards over the engines, minute by minute. What a quick tick of a source finds is given.
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDynamoDbDispatches } from '../../../functions/adapters/dynamodb-dispatches.ts';
import { createDynamoDbProgress, type Progress } from '../../../functions/adapters/dynamodb-progress.ts';
import {
  createDynamoDbSourceDirectory,
  type SourceDirectory,
} from '../../../functions/adapters/dynamodb-source-directory.ts';
import { createMessageQueue, type SendMessages } from '../../../functions/adapters/message-queue.ts';
import { createDispatcher, type Dispatcher } from '../../../functions/dispatcher/create-dispatcher.ts';
import { pollShard, type ShardReport } from '../../../functions/poller/poll-shard.ts';
import {
  parsePollMessage,
  type ShardMessage,
  type TickMessage,
} from '../../../functions/poller/tick-message.ts';
import type { DispatchFigures } from '../../../shared/dispatching/plan-minute.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { QuickReport } from '../../../shared/poll-quickly.ts';
import type { Log, LogFields } from '../../../shared/ports.ts';
import { NOTHING_RECORDED } from '../../../shared/reporting/tick-report.ts';
import { aState } from '../../contract/sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { createLocalQueue } from '../../engines/create-local-queue.ts';
import { connectSqs } from '../../engines/sdk-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';

const START = Date.UTC(2026, 10, 20, 10);

let engine: SqsEngine;
let sqs: SQSClient;
let opened: TestTables;
let nowMs: number;
let directory: SourceDirectory;
let progress: Progress;
let urls: { readonly quick: string; readonly long: string };
let dispatch: Dispatcher;
let sendLong: SendMessages;
let logged: { readonly message: string; readonly fields: LogFields | undefined }[];
let figures: (DispatchFigures & { readonly invalid: number })[];
let shards: ShardReport[];
/** What quick ticks find, by source; `quiet` by default. */
let finds: Map<string, Partial<QuickReport> | Error>;
/** Called as each quick tick begins, which then waits for it. */
let onQuickTick: (source: string) => Promise<void>;

const clock = { ...hastyClock, now: () => nowMs * MILLISECOND };
const note = (message: string, fields?: LogFields) => void logged.push({ message, fields });
const log: Log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  engine = await startSqsEngine();
  sqs = connectSqs(engine.endpoint);
});
afterAll(async () => {
  sqs.destroy();
  await engine.stop();
});
beforeEach(async () => {
  opened = await openTables();
  [nowMs, logged, figures, shards, finds] = [START, [], [], [], new Map()];
  onQuickTick = async () => {};
  const id = String(Math.floor(performance.now() * 1_000));
  const [quick, long] = await Promise.all(
    ['shards', 'ticks'].map((name) => createLocalQueue(sqs, `${name}-${id}`, { VisibilityTimeout: '0' })),
  );
  urls = { quick: quick ?? '', long: long ?? '' };
  sendLong = createMessageQueue(sqs, urls.long);
  directory = createDynamoDbSourceDirectory({ ...opened, clock });
  progress = createDynamoDbProgress({ ...opened, clock });
  dispatch = openDispatcher();
  return () => opened.close();
});

function openDispatcher(): Dispatcher {
  const { client, tables } = opened;
  const { states, ledger } = storesOn(client, tables, clock);
  return createDispatcher({
    ...{ clock, log, directory, progress, states, ledger, sendLong },
    dispatches: createDynamoDbDispatches({ ...opened, clock }),
    sendQuick: createMessageQueue(sqs, urls.quick),
    onReport: (found, invalid) => figures.push({ ...found, invalid }),
  });
}

/** @param before the version of the entry that it changes */
async function add(
  name: string,
  { isPaused = false, ...settings }: Record<string, unknown> = {},
  before = 0,
) {
  await directory.save(
    {
      ...{ name, isPaused: isPaused === true, declaredBy: 'command' },
      given: {
        settings: { name, baseUrl: 'https://returns.example.com/api', ...settings },
        token: { secretId: 'token' },
      },
    },
    before,
  );
}

async function receive(queue: 'quick' | 'long') {
  const bodies: string[] = [];
  for (;;) {
    const { Messages: [message] = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: urls[queue], VisibilityTimeout: 3_600 }),
    );
    if (message === undefined) return bodies.map(parsePollMessage);
    bodies.push(message.Body ?? '');
  }
}

async function receiveShards(): Promise<ShardMessage[]> {
  const messages = await receive('quick');
  return messages.flatMap((it) => ('shard' in it ? [it.shard] : []));
}

async function receiveTicks(): Promise<TickMessage[]> {
  const messages = await receive('long');
  return messages.flatMap((it) => ('tick' in it ? [it.tick] : []));
}

/** Dispatches the present minute, and polls its shards. */
async function passMinute(tries = 1): Promise<void> {
  await dispatch(nowMs);
  for (const shard of await receiveShards()) await poll(shard, tries);
  nowMs += 60_000;
}

function poll(shard: ShardMessage, tries = 1): Promise<void> {
  return pollShard(
    {
      ...{ clock, log, sendLong, progress },
      async pollQuickly({ source }) {
        await onQuickTick(source);
        return reportOf(source);
      },
      onReport: (report) => shards.push(report),
    },
    shard,
    tries,
    45_000,
  );
}

function reportOf(source: string): QuickReport {
  const found = finds.get(source) ?? {};
  if (found instanceof Error) throw found;
  return {
    ...{ source, outcome: 'quiet', why: undefined, requests: 1, rateLimited: 0, polls: 1 },
    ...{ counts: NOTHING_RECORDED, behindMs: 0, pollsAt: 0 },
    ...{ failure: undefined, error: undefined },
    quietAt: found.outcome === undefined ? nowMs : undefined,
    ...found,
  };
}

const namesOf = (all: readonly { readonly source: string }[]) => all.map(({ source }) => source).toSorted();

test('sources that are due come in a shard; those of seconds come as ticks that open a minute', async () => {
  await Promise.all([add('acme'), add('globex'), add('fast', { intervalMs: 5_000 })]);
  await add('paused', { isPaused: true });

  await dispatch(START);

  const [shard, ...others] = await receiveShards();
  const messages = await receive('long');
  expect(others).toEqual([]);
  expect(shard).toMatchObject({ slot: START, shard: 0 });
  expect(namesOf(shard?.sources ?? [])).toEqual(['acme', 'globex']);
  expect(messages).toMatchObject([{ tick: { source: 'fast', slot: START, opensMinute: true, version: 1 } }]);
  expect(figures).toMatchObject([{ sources: 3, due: 3, invalid: 0 }]);
});

test('a minute is dispatched once, also by two invocations at the same time', async () => {
  await add('acme');

  await Promise.all([dispatch(START), openDispatcher()(START)]);
  await dispatch(START + 30_000);

  expect(await receiveShards()).toHaveLength(1);
  expect(figures).toHaveLength(1);
});

test('an older minute is not dispatched after a newer one', async () => {
  await add('acme');
  await dispatch(START + 60_000);
  await receiveShards();

  await dispatch(START);

  expect(await receiveShards()).toEqual([]);
});

test.each([-660_000, 660_000])('a minute that is %i ms from now is refused', async (apart) => {
  await add('acme');

  await expect(dispatch(START + apart)).rejects.toThrow('is not dispatched: it is not now');
  await dispatch(START);

  expect(await receiveShards()).toHaveLength(1);
});

test('an invalid entry is reported each minute, counted, and noted in the state of its source; others are polled', async () => {
  const { states } = storesOn(opened.client, opened.tables, clock);
  await Promise.all([add('acme'), add('broken', { intervalMs: -1 })]);
  const stopped = aState('broken');
  const lanes = { ...stopped.lanes, late: { ...stopped.lanes.late, endedAt: 0 } };
  await states.save({ ...stopped, mintedIn: await states.identity(), lanes, version: 1 }, 0);

  await passMinute();
  await passMinute();

  const warnings = logged.filter(({ message }) => message.includes('is invalid'));
  expect(warnings.map(({ fields }) => fields?.source)).toEqual(['broken', 'broken']);
  expect(warnings[0]?.fields?.problem).toContain('settings.intervalMs');
  expect(figures).toMatchObject([
    { sources: 1, invalid: 1 },
    { sources: 1, invalid: 1 },
  ]);
  const { health } = (await states.load('broken')) ?? {};
  expect(health?.reasons.map(({ code }) => code)).toContain('misconfigured');
});

test('an entry that can not be read at all is reported, and stops no other source', async () => {
  await Promise.all([add('acme'), add('damaged')]);
  await opened.client.send(
    new UpdateItemCommand({
      ...{ TableName: opened.tables.sources, Key: { k: { S: 'directory/damaged' } } },
      ...{ UpdateExpression: 'SET v = :v', ExpressionAttributeValues: { ':v': { N: '99' } } },
    }),
  );

  await dispatch(START);

  const [shard] = await receiveShards();
  expect(namesOf(shard?.sources ?? [])).toEqual(['acme']);
  expect(logged.at(-1)?.fields).toMatchObject({
    source: 'damaged',
    problem: expect.stringContaining('format 99'),
  });
});

test('the next minute passes on when a source was last found quiet', async () => {
  await add('acme');
  await passMinute();
  await passMinute();

  await dispatch(nowMs);

  const [shard] = await receiveShards();
  expect(shard?.sources).toEqual([{ source: 'acme', version: 1, alarm: false, quietAt: START + 60_000 }]);
});

test('a source of an hour is still known to have been quiet at its next poll', async () => {
  await add('acme', { intervalMs: 3_600_000 });
  for (let minute = 0; minute < 60; minute++) await passMinute();
  const [first] = shards.map((_, at) => at);

  for (let minute = 0; minute < 59; minute++) await passMinute();
  await dispatch(nowMs);
  const [shard] = [...(await receiveShards())];

  expect(first).toBe(0);
  expect(shards.length + (shard === undefined ? 0 : 1)).toBe(2);
  expect(figures.at(-1)).toMatchObject({ behind: 0 });
});

test('a source with work goes to the long queue at once, and gets no other tick until that one is noted', async () => {
  await add('acme');
  finds.set('acme', { outcome: 'long', why: 'a walk is due' });

  await passMinute();
  const first = await receiveTicks();
  await passMinute();
  const meanwhile = [...(await receiveTicks()), ...(await receiveShards())];
  const [tick] = first;
  await progress.noteLong('acme', { slot: tick?.slot ?? 0, readAt: nowMs - 1_000, held: 1, setAside: 2 });
  await passMinute();
  const next = await receiveTicks();

  expect(first).toMatchObject([{ source: 'acme', opensMinute: true, version: 1 }]);
  expect(meanwhile).toEqual([]);
  expect(next).toMatchObject([{ source: 'acme', slot: START + 120_000 }]);
  expect(figures.at(-1)).toMatchObject({ held: 1, setAside: 2, behind: 0, failing: 0 });
});

test.each<[string, number, number | undefined, string]>([
  ['whose work was done in one tick goes back at once', 1, undefined, 'quick quick quick'],
  ['that has more to do stays', 1, 600_000, `${'long '.repeat(12)}`.trim()],
  ['of a shard that was not completed stays for ten minutes', 2, undefined, `${'long '.repeat(9)}quick`],
])('a source with the long queue %s', async (_, tries, stayMs, expected) => {
  await add('acme');
  finds.set('acme', { outcome: 'long', why: 'a walk is due' });
  await passMinute(tries);
  finds.clear();
  const polledBy: string[] = [];

  for (let minute = 1; minute <= 12; minute++) {
    const before = shards.length;
    for (const { slot } of await receiveTicks())
      await progress.noteLong('acme', { slot, readAt: slot, ...(stayMs && { stayUntil: slot + stayMs }) });
    await passMinute();
    polledBy.push(shards.length > before ? 'quick' : 'long');
  }

  expect(polledBy.join(' ')).toMatch(new RegExp(`^${expected}`));
});

test('a source that fails waits up to five minutes between its ticks', async () => {
  await add('acme');
  finds.set('acme', { outcome: 'long', error: new Error('503') });
  const sentIn: number[] = [];

  for (let minute = 0; minute <= 20; minute++) {
    await passMinute();
    for (const { slot } of await receiveTicks()) {
      sentIn.push(minute);
      await progress.noteLong('acme', { slot, failed: true, why: 'failing' });
    }
  }

  expect(sentIn).toEqual([0, 1, 3, 7, 12, 17]);
  expect(figures.at(-1)).toMatchObject({ failing: 1, behind: 1 });
  expect(logged.filter(({ message }) => message.includes('polled late'))).toEqual([]);
});

test('a shard that is received twice is not polled: its sources go singly to the long queue', async () => {
  await Promise.all([add('acme'), add('globex'), add('initech')]);

  await passMinute(2);
  const ticks = await receiveTicks();
  await passMinute();

  expect(shards).toEqual([]);
  expect(namesOf(ticks)).toEqual(['acme', 'globex', 'initech']);
});

test('a source that fails, or is not found, fails no other one of its shard', async () => {
  await Promise.all([add('acme'), add('broken'), add('globex'), add('refused')]);
  finds.set('broken', new Error('The state can not be read.'));
  finds.set('refused', { outcome: 'resting' });

  await passMinute();
  const ticks = await receiveTicks();
  await dispatch(nowMs);

  const polled = shards.flatMap(({ ticks: some }) => some.map(({ report }) => report));
  expect(namesOf(polled)).toEqual(['acme', 'globex', 'refused']);
  expect(namesOf(ticks)).toEqual(['broken']);
  expect(figures.at(-1)).toMatchObject({ failing: 2, sources: 4 });
  const [next] = await receiveShards();
  expect(
    next?.sources
      .filter(({ quietAt }) => quietAt === START)
      .map(({ source }) => source)
      .toSorted(),
  ).toEqual(['acme', 'globex']);
});

test('the sources of a shard are polled at the same time, so one that hangs delays no other', async () => {
  await Promise.all([add('acme'), add('globex'), add('initech')]);
  const begun: string[] = [];
  const all = Promise.withResolvers<void>();
  onQuickTick = (source) => {
    if (begun.push(source) === 3) all.resolve();
    return all.promise;
  };

  await passMinute();

  expect(begun.toSorted()).toEqual(['acme', 'globex', 'initech']);
  expect(shards).toHaveLength(1);
});

test('a shard whose minute is over is dropped: a later one polls its sources', async () => {
  await add('acme');
  await dispatch(nowMs);
  const [shard] = await receiveShards();
  nowMs += 61_000;

  await poll(shard as ShardMessage);

  expect(shards).toEqual([{ lateMs: 61_000, ticks: [] }]);
  expect(logged.at(-1)).toMatchObject({ message: expect.stringContaining('is dropped') });
});

test('sources whose shards are not polled are reported as late, the worst ten by name', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `shop-${at}`);
  await Promise.all(names.map((name) => add(name)));
  await passMinute();
  // From here on nothing polls the shards.
  for (let minute = 0; minute < 6; minute++) {
    await dispatch(nowMs);
    nowMs += 60_000;
  }
  await add('newcomer');
  await dispatch(nowMs);

  const { fields } = logged.findLast(({ message }) => message === 'Sources are polled late.') ?? {};
  expect(fields?.sources).toBe(12);
  expect(fields?.worst).toHaveLength(10);
  expect(fields?.worst).toContain('shop-0 300 s');
  expect(figures.at(-1)).toMatchObject({ sources: 13, behind: 12, due: 13 });
});

test('a resumed source is neither late nor behind for the time of its pause', async () => {
  await add('acme');
  await passMinute();
  await add('acme', { isPaused: true }, 1);
  for (let minute = 0; minute < 9; minute++) await passMinute();
  await add('acme', {}, 2);

  await passMinute();

  expect(figures.at(-2)).toMatchObject({ sources: 0 });
  expect(figures.at(-1)).toMatchObject({ sources: 1, due: 1, behind: 0 });
  expect(logged.filter(({ message }) => message.includes('late'))).toEqual([]);
});
