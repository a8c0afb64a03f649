// A feed's reading side over the engines: the dispatcher, both queues and the poller, with a service over the wire.
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoDbDispatches } from '../../../functions/adapters/dynamodb-dispatches.ts';
import { createDynamoDbProgress } from '../../../functions/adapters/dynamodb-progress.ts';
import { createDynamoDbSourceDirectory } from '../../../functions/adapters/dynamodb-source-directory.ts';
import { createHttpsTransport } from '../../../functions/adapters/https-transport.ts';
import { createMessageQueue } from '../../../functions/adapters/message-queue.ts';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { createDispatcher, type Dispatcher } from '../../../functions/dispatcher/create-dispatcher.ts';
import { createPoller, type Poller } from '../../../functions/poller/create-poller.ts';
import { openPollerStores } from '../../../functions/poller/poller-stores.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import type { DispatchFigures } from '../../../shared/dispatching/plan-minute.ts';
import { MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import type { Log } from '../../../shared/ports.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { createLocalQueue } from '../../engines/create-local-queue.ts';
import { connectSqs } from '../../engines/sdk-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';

const NAMES = ['acme', 'globex', 'initech'];

let engine: SqsEngine;
let sqs: SQSClient;
let opened: TestTables;
let service: ReferenceService;
let urls: readonly string[];
let dispatch: Dispatcher;
let poll: Poller;
let passed = 0;
const figures: DispatchFigures[] = [];
const outcomes: string[] = [];

const system = createSystemClock();
const clock = { ...system, now: () => system.now() + passed * MINUTE };
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

beforeAll(async () => {
  [engine, opened, service] = await Promise.all([
    startSqsEngine(),
    openTables(),
    createReferenceService({ groups: 20, life: false }),
  ]);
  sqs = connectSqs(engine.endpoint);
  urls = await Promise.all(['shards', 'ticks'].map((name) => createLocalQueue(sqs, name, {})));
  const [quickUrl = '', longUrl = ''] = urls;
  const access = { ...opened, clock, log };
  const sendLong = createMessageQueue(sqs, longUrl);
  const directory = createDynamoDbSourceDirectory(access);
  dispatch = createDispatcher({
    ...{ ...access, directory, sendLong },
    dispatches: createDynamoDbDispatches(access),
    progress: createDynamoDbProgress(access),
    ...storesOn(opened.client, opened.tables, clock),
    sendQuick: createMessageQueue(sqs, quickUrl),
    onReport: (found) => figures.push(found),
  });
  poll = createPoller({
    ...openPollerStores(access),
    ...{ ...access, sendLong, transport: createHttpsTransport(), place: undefined, owner: 'poller' },
    findSource: async (name) => ({
      settings: sourceSettings.parse(settingsOf(name)),
      secret: { place: name, read: async () => service.token },
    }),
    onReport: ({ source, outcome }) => outcomes.push(`${source} ${outcome}`),
    onShard: ({ ticks }) => outcomes.push(...ticks.map(({ report }) => `${report.source} ${report.outcome}`)),
  });
  for (const name of NAMES)
    await directory.save(
      {
        name,
        isPaused: false,
        declaredBy: 'command',
        given: { settings: settingsOf(name), token: { secretId: 'token' } },
      },
      0,
    );
});
afterAll(async () => {
  sqs.destroy();
  await Promise.all([engine.stop(), opened.close(), service.close()]);
});

function settingsOf(name: string) {
  return { name, baseUrl: service.url, sourceRead: false, reconcileMs: 3_600_000 };
}

/** Dispatches a minute, and handles its messages. */
async function passMinute(): Promise<void> {
  outcomes.length = 0;
  await dispatch(Math.floor(clock.now() / MINUTE) * (MINUTE / MILLISECOND));
  for (const url of urls) while (await handleOne(url));
  passed += 1;
}

async function handleOne(QueueUrl: string): Promise<boolean> {
  const { Messages: [message] = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] }),
  );
  if (message === undefined) return false;
  const record = { body: message.Body, attributes: message.Attributes };
  await poll({ Records: [record] } as unknown as SQSEvent, 20_000);
  const { ReceiptHandle } = message;
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return true;
}

test('new sources are read by the long queue within their first minute, and their changes are known in the next ones', async () => {
  const { states } = storesOn(opened.client, opened.tables, clock);
  await passMinute();
  const begun = await Promise.all(NAMES.map((name) => states.load(name)));

  service.control.mutate(Number(service.control.snapshot()[0]?.id), (group) => {
    for (const shipment of group.shipments) shipment.status = 'LOST';
  });
  await passMinute();
  await passMinute();

  expect(begun.map((state) => state?.baselineAt !== undefined)).toEqual([true, true, true]);
  const saved = await Promise.all(NAMES.map((name) => groupsWithEvents(name)));
  for (const groups of saved) expect(groups).toContain(Number(service.control.snapshot()[0]?.id));
  await passMinute();
  expect(figures.at(-1)).toMatchObject({ sources: 3, due: 3, behind: 0, failing: 0 });
});

async function groupsWithEvents(source: string): Promise<unknown[]> {
  const { ledger } = storesOn(opened.client, opened.tables, clock);
  const groups: unknown[] = [];
  for await (const { key } of ledger.groups()) if (key.source === source) groups.push(key.group);
  return groups;
}
