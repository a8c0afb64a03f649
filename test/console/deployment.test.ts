// The console on a deployed stack, over plain HTTP, for a caller with the permissions that SECURITY.md lists. The stack
// is the output of `cdk synth`, with its poller, relays, ordered queues and webhooks, on the engines of this machine.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { aState } from '../contract/sample-states.ts';
import { type Stores, storesOn } from '../contract/stores.ts';
import { comeDue, MINUTE_MS, TICKS, thisMinute } from '../stack/come-due.ts';
import { REGION } from '../stack/create-resources.ts';
import type { EngineAddresses } from '../stack/deployment.ts';
import { type Lack, type OperatedStack, operateStack, STACK } from '../stack/operated-stack.ts';
import { startEngines } from '../stack/start-engines.ts';
import { addWebhooks, synthesizeStack } from '../stack/synthesize-stack.ts';
import { forReceiver, secretsFor } from '../stack/watch-webhooks.ts';
import { startWebhookReceiver } from '../stack/webhook-receiver.ts';
import { openReadConsole, type ReadConsole } from './read-console.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const LOCAL = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

let service: ReferenceService;
let stack: OperatedStack;
let engines: EngineAddresses;
let stores: Omit<Stores, 'close'>;
let parcel: { readonly group: number; readonly tracking: string; readonly order: string };
const ends: (() => unknown)[] = [];
const consoles: ReadConsole[] = [];

beforeAll(async () => {
  service = await createReferenceService({ groups: 60, life: false });
  ends.push(service.close);
  engines = await startEngines(ends);
  const receiver = await startWebhookReceiver((path) => (path === '/wms' ? wmsSecret : MAILS_SECRET));
  ends.push(receiver.close);
  const assembly = synthesizeStack(service.url, (deployed) => {
    deployed.feed.addOrderedQueue('Erp');
    deployed.feed.addOrderedQueue('Crm');
    addWebhooks(deployed);
  });
  const secrets = secretsFor(service, receiver);
  const MAILS_SECRET = secrets.get('shop/signing') ?? '';
  let wmsSecret = '';
  stack = await operateStack(
    {
      ...{ assembly, template: assembly.template, engines, secrets },
      variablesOf: (variables) => forReceiver(variables, receiver),
    },
    ends,
  );
  wmsSecret = stack.deployment.secretWith('WebhooksWmsSecret');
  const {
    SnapshotsTable = '',
    LedgerTable = '',
    MarksTable = '',
    SourcesTable = '',
  } = stack.deployment.outputs;
  const client = new DynamoDBClient({ ...LOCAL, endpoint: engines.dynamoDb });
  ends.push(() => client.destroy());
  stores = storesOn(client, {
    ...{ snapshots: SnapshotsTable, ledger: LedgerTable, marks: MarksTable, sources: SourcesTable },
  });
  for (const [name, value] of Object.entries(stack.environment)) vi.stubEnv(name, value);
  await followParcel();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const end of ends.reverse()) await end();
});
afterEach(async () => {
  stack.resemble();
  for (const each of consoles.splice(0)) await each.close();
});

/** Takes a parcel to delivery in two steps. Each step is polled and sent to all destinations. */
async function followParcel(): Promise<void> {
  // The last tick is at the present, because ticks in the future are reported.
  const minute = thisMinute() - 2 * MINUTE_MS;
  await comeDue(stack.deployment, TICKS, minute);
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
    await comeDue(stack.deployment, TICKS, minute + (index + 1) * MINUTE_MS);
  }
}

interface Opening {
  readonly acts?: boolean;
  readonly now?: () => number;
  readonly rights?: ReturnType<OperatedStack['rightsOf']>;
}

async function open({ acts = false, now, rights }: Opening = {}): Promise<ReadConsole> {
  const command = acts ? ['console', '--act'] : ['console'];
  stack.operator.allow(rights ?? stack.rightsOf(...command));
  const console = await openReadConsole({ stack: STACK, acts, ...(now && { now }) });
  consoles.push(console);
  return console;
}

async function keyOf(group: number) {
  const { generation = '' } = (await stores.states.load('acme')) ?? {};
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
    expect(text).toMatch(/webhook Wms \(wms\.example\.com\) ✓ all sent 0 returns – 0/);
    expect(text).toMatch(/webhook Mails ✓ all sent 0 returns – 0/);
    expect(text.match(/subscriber /g)).toHaveLength(2);
    expect(text).not.toContain("can't be shown");
    expect((await console.read('/stuck')).text).toMatch(/Nothing is stuck/);
    expect(stack.deployment.failures).toEqual([]);
  });

  it('asks SNS, SQS, CloudWatch and Parameter Store at most once a minute, however many pages are open', async () => {
    const begin = Date.now();
    let now = begin;
    const console = await open({ now: () => now });
    const asked = stack.operator.allow(stack.rightsOf('console'));
    const timesOf = (action: string) => asked.filter((it) => it.action === action).length;

    for (now = begin; now < begin + MINUTE_MS; now += 10_000)
      await Promise.all(['/', '/stuck', `/returns/acme/${parcel.group}`].map(console.read));
    const once = ['sns:ListSubscriptionsByTopic', 'cloudwatch:GetMetricData', 'ssm:GetParametersByPath'];
    const inOneMinute = once.map(timesOf);
    const ofQueues = timesOf('sqs:GetQueueUrl');
    now += 1;
    await console.read('/');

    expect(inOneMinute).toEqual([1, 1, 3]);
    expect(ofQueues).toBe(4);
    expect(once.map(timesOf)).toEqual([2, 2, 6]);
  });
});

describe('the page "Stuck"', () => {
  it('shows a destination that is behind, with the command that tries again', async () => {
    const key = await keyOf(parcel.group);
    await stack.deployment.putItem('StorageMarks', { k: `bus#${formatGroupKey(key)}`, n: 1 });
    await stores.marks.noteBehind('bus', key, { sequence: 2, reason: 'too large' });
    const console = await open({ acts: true });

    const [overview, stuck] = [await console.read('/'), await console.read('/stuck')];
    const fields = { source: 'acme', group: String(key.group), generation: key.generation, to: 'bus' };
    const tried = await console.send('/act/redrive', fields);

    expect(overview.text).toMatch(/the bus ! behind 1 return \d+ \w+ (ago )?1 return/);
    expect(stuck.text).toMatch(/Behind the bus the bus does not accept 1 return: too large/);
    expect(stuck.text).toContain(`returns-feed redrive --to bus --stack ${STACK}`);
    expect(tried.text).toContain(`bus: return ${key.group}: all events are sent.`);
    expect(tried.text).toContain('Nothing is stuck');
  });

  it('shows an event that a subscriber could not handle, with the command that moves it back', async () => {
    const sqs = new SQSClient({ ...LOCAL, endpoint: engines.sqs });
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    const QueueUrl = QueueUrls.find((url) => url.includes('ErpDeadLetters'));
    const message = { MessageBody: '{}', MessageGroupId: 'a', MessageDeduplicationId: 'a' };
    await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    sqs.destroy();
    const console = await open();

    const [overview, stuck] = [await console.read('/'), await console.read('/stuck')];

    expect(overview.text).toMatch(/subscriber \S+ErpQueue\S+ ! dead letters \d+ events? 90 s 1 event/);
    expect(stuck.text).toMatch(/Dead letters subscriber \S+ErpQueue\S+ .* failed at 1 event:/);
    expect(stuck.text).toMatch(/aws sqs start-message-move-task --source-arn arn:aws:sqs:\S+ErpDeadLetters/);
  });

  it('releases, skips and resumes with --act, after a confirmation of what can’t be undone', async () => {
    const state = await stores.states.load('acme');
    if (state === undefined) throw new Error('The source has no state.');
    const { holds, lastHold } = aState('acme', 1);
    await stores.states.save({ ...state, holds, lastHold, version: state.version + 1 }, state.version);
    const { version = 0, ...known } = (await stores.endpoints.load('Mails')) ?? newEndpoint(0);
    await stores.endpoints.save('Mails', { ...known, version, isPaused: true }, version);
    const key = await keyOf(parcel.group);
    const console = await open({ acts: true });
    const skip = { source: 'acme', group: String(key.group), to: 'bus', skip: '1' };

    const before = await console.read('/stuck');
    const asked = await console.send('/act/release', { source: 'acme', hold: '7' });
    const held = await stores.states.load('acme');
    const released = await console.send('/act/release', { source: 'acme', hold: '7', confirmed: 'yes' });
    const askedToSkip = await console.send('/act/skip', skip);
    const skipped = await console.send('/act/skip', { ...skip, confirmed: 'yes' });
    const resumed = await console.send('/act/resume', { webhook: 'Mails' });

    expect(before.text).toContain(`returns-feed release --source acme --hold 7 --stack ${STACK}`);
    expect(before.text).toContain(`returns-feed webhooks resume Mails --stack ${STACK}`);
    expect(asked.text).toContain('Are you sure? Source acme: Release hold 7? Up to 41 return groups');
    expect(held?.version).toBe(state.version + 1);
    expect(released.text).toContain('Hold 7 of source acme is over');
    expect(askedToSkip.text).toContain(`Are you sure? Skip event 1 of return ${key.group}?`);
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

    const delivered = between(text, 'OUT_FOR_DELIVERY → DELIVERED', ' JSON ');
    const onItsWay = between(text, '→ OUT_FOR_DELIVERY', ' JSON ');
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
    const sns = new SNSClient({ ...LOCAL, endpoint: engines.sqs });
    const arn = `arn:aws:sqs:${REGION}:111111111111:theirs.fifo`;
    const TopicArn = stack.deployment.outputs.TopicArn;
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
      stack.resemble(...lacks);
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
      /tracking number: The function \S+ has no alias "questions": .*Deploy it again\./,
    );
    expect(withoutPoller).toMatch(/tracking number: This command needs the stack's output PollerFunction/);
    expect(byId).toContain(`Return ${parcel.group}, order`);
  });

  it('is reported before an address is printed, if the region is missing', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    const opened = open().finally(() => vi.stubEnv('AWS_REGION', REGION));

    await expect(opened).rejects.toThrow('set AWS_REGION');
  });
});
