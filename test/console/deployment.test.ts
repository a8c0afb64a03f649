// The console on a deployed stack, over plain HTTP, for a caller with the permissions that SECURITY.md lists. The stack
// has the resources of `cdk synth`, on the engines of this machine; the poller and the relay run in this process.

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { ListQueuesCommand, PurgeQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbSearches } from '../../functions/adapters/dynamodb-searches.ts';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { answerQuestion } from '../../functions/poller/answer-question.ts';
import { createFinder, type Finder } from '../../functions/poller/create-finder.ts';
import { createPoller } from '../../functions/poller/create-poller.ts';
import { openPollerStores } from '../../functions/poller/poller-stores.ts';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { Log } from '../../shared/ports.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { aState } from '../contract/sample-states.ts';
import { REGION } from '../infra/edges/read-account.ts';
import { newApp } from '../infra/new-app.ts';
import { type DeployedFeed, deployFeed, type Lack } from '../runbook/deployed-feed.ts';
import { type Operators, readOperators } from '../runbook/read-operators.ts';
import { resourcesCalled } from '../runbook/resources-called.ts';
import { openReadConsole, type ReadConsole } from './read-console.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const MINUTE_MS = 60_000;
const STACK = STAGES.production.stackName;
const LOCAL = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

let service: ReferenceService;
let feed: DeployedFeed;
let operators: Operators;
let poll: (slot: number) => Promise<void>;
let parcel: { readonly group: number; readonly tracking: string; readonly order: string };
const consoles: ReadConsole[] = [];

beforeAll(async () => {
  service = await createReferenceService({ groups: 60, life: false });
  feed = await deployFeed(STACK, synthesize(), (find) => answer(find));
  const { SnapshotsTable = '', LedgerTable = '', MarksTable = '', SourcesTable = '' } = feed.outputs;
  const access = {
    client: feed.tablesClient,
    tables: { snapshots: SnapshotsTable, ledger: LedgerTable, marks: MarksTable, sources: SourcesTable },
    ...{ clock: createSystemClock(), log: SILENT, transport: createHttpsTransport() },
    findSource: async () => ({
      settings: sourceSettings.parse({
        ...{ name: 'acme', baseUrl: service.url },
        ...{ intervalMs: 20_000, requestsPerMinute: 240 },
      }),
      secret: { place: 'acme', read: async () => service.token },
    }),
  };
  const answer = answerWith(
    createFinder({ ...access, states: feed.stores.states, searches: createDynamoDbSearches(access) }),
  );
  const poller = createPoller({
    ...{ ...access, ...openPollerStores(access) },
    ...{ place: ` --stack ${STACK}`, owner: 'test', sendLong: async () => {} },
    ...{ onReport() {}, onShard() {} },
  });
  poll = (slot) =>
    poller({ Records: [{ body: JSON.stringify({ source: 'acme', slot }) }] } as SQSEvent, 30_000);
  operators = readOperators((name) => resourcesCalled(name, feed));
  for (const [name, value] of Object.entries({
    ...{ AWS_ENDPOINT_URL: feed.endpoint.url, AWS_REGION: REGION },
    ...{ AWS_ACCESS_KEY_ID: 'operator', AWS_SECRET_ACCESS_KEY: 'none' },
  }))
    vi.stubEnv(name, value);
  await followParcel();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([feed.close(), service.close()]);
});
afterEach(async () => {
  feed.resemble();
  for (const each of consoles.splice(0)) await each.close();
});

function synthesize() {
  const app = newApp({ 'aws:cdk:bundling-stacks': [] });
  const { feed: construct } = new ReturnsFeedStack(app, STAGES.production);
  for (const name of ['Erp', 'Crm']) construct.addOrderedQueue(name);
  construct.addWebhook('Wms', { url: 'https://wms.example.com/returns' });
  construct.addWebhook('Mails', {
    url: 'https://mails.example.com/hook',
    filter: { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] },
  });
  return app.synth().getStackByName(STACK).template;
}

/** As the poller answers in Lambda. */
function answerWith(finder: Finder) {
  return (find: unknown) => answerQuestion({ finder, log: SILENT }, find);
}

/** Takes a parcel to delivery in two steps. Each step is polled and sent to all destinations. */
async function followParcel(): Promise<void> {
  // The last tick is at the present, because ticks in the future are reported.
  const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 2 * MINUTE_MS;
  await poll(minute);
  const found = service.control
    .snapshot()
    .find(({ shipments }) => shipments[0]?.tracking_number != null && shipments[0].status !== 'DELIVERED');
  const group = Number(found?.id);
  parcel = { group, tracking: String(found?.shipments[0]?.tracking_number), order: '#10 "42"' };
  for (const [index, status] of ['OUT_FOR_DELIVERY', 'DELIVERED'].entries()) {
    service.control.mutate(group, (draft) => {
      draft.order.name = parcel.order;
      draft.shipments[0]!.status = status;
    });
    await poll(minute + (index + 1) * MINUTE_MS);
  }
  await publish();
}

/** Sends all events to the topic, and notes that the bus and the webhooks have them as well. */
async function publish(): Promise<void> {
  const sns = new SNSClient({ ...LOCAL, endpoint: feed.engines.sqs });
  const destination = createSnsDestination({ client: sns, topicArn: feed.outputs.TopicArn ?? '' });
  const { ledger, marks } = feed.stores;
  const ports = { ledger, marks, destination, clock: createSystemClock(), log: SILENT, random: Math.random };
  await createRelay(ports)([await keyOf(parcel.group)], 30_000);
  sns.destroy();
  for await (const { key, last } of ledger.groups())
    for (const name of ['bus', 'Wms', 'Mails']) await marks.advance(name, key, last);
  const sqs = new SQSClient({ ...LOCAL, endpoint: feed.engines.sqs });
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  for (const QueueUrl of QueueUrls.filter((url) => /Webhooks\w+Queue/.test(url)))
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  sqs.destroy();
}

interface Opening {
  readonly acts?: boolean;
  readonly now?: () => number;
}

async function open({ acts = false, now }: Opening = {}): Promise<ReadConsole> {
  const command = acts ? ['console', '--act'] : ['console'];
  feed.endpoint.allow(operators.statementsFor(command));
  const console = await openReadConsole({ stack: STACK, acts, ...(now && { now }) });
  consoles.push(console);
  return console;
}

async function keyOf(group: number) {
  const { generation = '' } = (await feed.stores.states.load('acme')) ?? {};
  return { source: 'acme', generation, group };
}

/** Returns the text between two headings or cells. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  if (start === -1) throw new Error(`There is no "${from}" in: ${text}`);
  return text.slice(start, text.indexOf(to, start + from.length));
}

describe('the overview', () => {
  it('shows the source, the bus, each ordered subscriber by its queue, and each webhook', async () => {
    const console = await open();

    const { status, text } = await console.read('/');

    expect(status).toBe(200);
    expect(text).toMatch(/^Overview ✓ All well: last complete poll \d+ s ago, \d+ waiting/);
    expect(text).toMatch(/acme ✓ well/);
    expect(text).toMatch(/the bus ✓ all sent 0 returns – 0/);
    expect(text).toMatch(/subscriber \S+ErpQueue\S+\.fifo … sending [1-9]\d* events? 90 s 0/);
    expect(text).toMatch(/subscriber \S+CrmQueue\S+\.fifo … sending [1-9]\d* events? 90 s 0/);
    expect(text).toMatch(/webhook Wms \(wms\.example\.com\) – new 0 returns – 0/);
    expect(text).toMatch(/webhook Mails \(mails\.example\.com\) – new 0 returns – 0/);
    expect(text.match(/subscriber /g)).toHaveLength(2);
    expect(text).not.toContain("can't be shown");
    expect((await console.read('/stuck')).text).toMatch(/Nothing is stuck/);
  });

  it('asks SNS, SQS, CloudWatch and Parameter Store at most once a minute, however many pages are open', async () => {
    const begin = Date.now();
    let now = begin;
    const console = await open({ now: () => now });
    const asked = feed.endpoint.allow(operators.statementsFor(['console']));
    const timesOf = (action: string) => asked.filter((it) => it.action === action).length;

    for (now = begin; now < begin + MINUTE_MS; now += 10_000)
      await Promise.all(['/', '/stuck', `/returns/acme/${parcel.group}`].map(console.read));
    const once = ['sns:ListSubscriptionsByTopic', 'cloudwatch:GetMetricData', 'ssm:GetParametersByPath'];
    const inOneMinute = once.map(timesOf);
    const ofQueues = timesOf('sqs:GetQueueUrl');
    now += 1;
    await console.read('/');

    // The parameters of two webhooks come in three pages.
    expect(inOneMinute).toEqual([1, 1, 3]);
    expect(ofQueues).toBe(4);
    expect(once.map(timesOf)).toEqual([2, 2, 6]);
  });
});

describe('the page "Stuck"', () => {
  it('shows a destination that is behind, with the command that tries again', async () => {
    const key = await keyOf(parcel.group);
    const Item = marshall({ k: `bus#${formatGroupKey(key)}`, n: 1 });
    await feed.tablesClient.send(new PutItemCommand({ TableName: feed.outputs.MarksTable, Item }));
    await feed.stores.marks.noteBehind('bus', key, { sequence: 2, reason: 'too large' });
    const console = await open({ acts: true });

    const [overview, stuck] = [await console.read('/'), await console.read('/stuck')];
    const fields = { source: 'acme', group: String(key.group), generation: key.generation, to: 'bus' };
    const tried = await console.send('/act/redrive', fields);

    expect(overview.text).toMatch(/the bus ! behind 1 return \d+ \w+ (ago )?1 return/);
    expect(stuck.text).toMatch(/Behind: the bus the bus does not accept 1 return: too large/);
    expect(stuck.text).toContain(`returns-feed redrive --to bus --stack ${STACK}`);
    expect(tried.text).toContain(`bus: return ${key.group}: all events are sent.`);
    expect(tried.text).toContain('Nothing is stuck');
  });

  it('shows an event that a subscriber could not handle, with the command that moves it back', async () => {
    const sqs = new SQSClient({ ...LOCAL, endpoint: feed.engines.sqs });
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    const QueueUrl = QueueUrls.find((url) => url.includes('ErpDeadLetters'));
    const message = { MessageBody: '{}', MessageGroupId: 'a', MessageDeduplicationId: 'a' };
    await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    sqs.destroy();
    const console = await open();

    const [overview, stuck] = [await console.read('/'), await console.read('/stuck')];

    expect(overview.text).toMatch(/subscriber \S+ErpQueue\S+ ! dead letters \d+ events? 90 s 1 event/);
    expect(stuck.text).toMatch(/Dead letters: subscriber \S+ErpQueue\S+ .* failed at 1 event:/);
    expect(stuck.text).toMatch(/aws sqs start-message-move-task --source-arn arn:aws:sqs:\S+ErpDeadLetters/);
  });

  it('releases, skips and resumes with --act, after a confirmation of what can’t be undone', async () => {
    const state = await feed.stores.states.load('acme');
    if (state === undefined) throw new Error('The source has no state.');
    const { holds, lastHold } = aState('acme', 1);
    await feed.stores.states.save({ ...state, holds, lastHold, version: state.version + 1 }, state.version);
    const { version = 0, ...known } = (await feed.stores.endpoints.load('Mails')) ?? newEndpoint(0);
    await feed.stores.endpoints.save('Mails', { ...known, version, isPaused: true }, version);
    const key = await keyOf(parcel.group);
    const console = await open({ acts: true });
    const skip = { source: 'acme', group: String(key.group), to: 'bus', skip: '1' };

    const before = await console.read('/stuck');
    const asked = await console.send('/act/release', { source: 'acme', hold: '7' });
    const held = await feed.stores.states.load('acme');
    const released = await console.send('/act/release', { source: 'acme', hold: '7', confirmed: 'yes' });
    const askedToSkip = await console.send('/act/skip', skip);
    const skipped = await console.send('/act/skip', { ...skip, confirmed: 'yes' });
    const resumed = await console.send('/act/resume', { webhook: 'Mails' });

    expect(before.text).toContain(`returns-feed release --source acme --hold 7 --stack ${STACK}`);
    expect(before.text).toContain(`returns-feed webhooks resume Mails --stack ${STACK}`);
    expect(asked.text).toContain('Are you sure? Source acme: Release hold 7? Up to 41 return groups');
    expect(held?.version).toBe(state.version + 1);
    expect(released.text).toContain('Hold 7 of source acme is over');
    expect(askedToSkip.text).toContain(`Are you sure? Skip event 1 of return ${key.group} for the bus?`);
    // The bus already has the event, so there is nothing to skip.
    expect(skipped.text).toContain(`bus: return ${key.group}: nothing is skipped; all events are sent.`);
    expect(resumed.text).toContain('Webhook Mails is resumed.');
    expect(resumed.text).not.toContain('Paused webhook Mails');
  });

  it('has no actions without --act', async () => {
    const console = await open();

    const acts = ['release', 'redrive', 'skip', 'resume'].map((name) => console.send(`/act/${name}`));

    expect((await Promise.all(acts)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await console.read('/stuck')).text).toContain('Start the console with --act for buttons.');
  });
});

describe('a return', () => {
  it('is found by its tracking number and its order’s name through the poller', async () => {
    const console = await open();

    const found = await Promise.all(
      [parcel.tracking, parcel.order].map((text) => console.read(`/find?q=${encodeURIComponent(text)}`)),
    );

    for (const { path, text } of found) {
      expect(path).toBe(`/returns/acme/${parcel.group}`);
      expect(text).toContain(`Return ${parcel.group}, order ${parcel.order}`);
    }
  });

  it('has its deliveries, without a webhook whose filter excludes the event', async () => {
    const console = await open();

    const { text } = await console.read(`/returns/acme/${parcel.group}`);

    const delivered = between(text, 'OUT_FOR_DELIVERY → DELIVERED', '→ OUT_FOR_DELIVERY');
    const onItsWay = between(text, '→ OUT_FOR_DELIVERY', 'Source acme');
    expect(delivered).toContain('✓ the ordered subscribers ✓ the bus ✓ the webhook Mails ✓ the webhook Wms');
    expect(onItsWay).toContain('✓ the ordered subscribers ✓ the bus ✓ the webhook Wms');
    expect(onItsWay).not.toContain('Mails');
    expect(text).not.toMatch(/waits for|filtered out/);
  });

  it('is compared with the service’s present answer', async () => {
    const console = await open();
    const ask = async () => (await console.send(`/returns/acme/${parcel.group}/ask`)).text;

    const same = await ask();
    service.control.mutate(parcel.group, (draft) => {
      draft.shipments[0]!.carrier = 'Another';
    });
    const other = await ask();

    expect(same).toContain('Both agree');
    expect(other).toMatch(/They differ .* shipment\/\d+ carrier \S+ Another/);
  });
});

describe('a part that can’t be loaded', () => {
  it('is named: a queue of another account, while the rest of the page is shown', async () => {
    const sns = new SNSClient({ ...LOCAL, endpoint: feed.engines.sqs });
    const arn = `arn:aws:sqs:${REGION}:111111111111:theirs.fifo`;
    const TopicArn = feed.outputs.TopicArn;
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: arn }));
    sns.destroy();
    const console = await open();

    const { status, text } = await console.read('/');

    expect(status).toBe(200);
    expect(text).toMatch(/subscriber theirs\.fifo – unknown – – –/);
    expect(text).toContain("The queue of subscriber theirs.fifo can't be shown: ");
    expect(text).toContain(`It takes sqs:GetQueueUrl and sqs:GetQueueAttributes on ${arn}.`);
    expect(text).toMatch(/subscriber \S+CrmQueue\S+ … sending/);
  });

  it('is named: in a stack of an earlier release, while the rest of the pages is shown', async () => {
    const textOf = async (path: string, ...lacks: readonly Lack[]) => {
      feed.resemble(...lacks);
      const { status, text } = await (await open()).read(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      return text;
    };

    const withoutIndex = await textOf('/', 'the index');
    const withoutAlias = await textOf('/find?q=none&in=service', 'the alias');
    const withoutPoller = await textOf('/find?q=none&in=service', 'the output PollerFunction');
    const byId = await textOf(`/find?q=${parcel.group}`, 'the output PollerFunction');

    expect(withoutIndex).toMatch(
      /The returns that are behind at the bus can't be shown: .*Deploy this release/,
    );
    expect(withoutIndex).toMatch(/the bus – unknown 0 returns – –/);
    expect(withoutAlias).toMatch(
      /The function \S+ has no alias "questions": .*Deploy it again\. \(source acme, tracking number;/,
    );
    expect(withoutPoller).toMatch(
      /This command needs the stack's output PollerFunction .*\(source acme, tracking number;/,
    );
    expect(byId).toContain(`Return ${parcel.group}, order`);
  });

  it('is reported before an address is printed, if the region is missing', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    const opened = open().finally(() => vi.stubEnv('AWS_REGION', REGION));

    await expect(opened).rejects.toThrow('set AWS_REGION');
  });
});
