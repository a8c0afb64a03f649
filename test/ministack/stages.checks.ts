// Both stages on MiniStack, from the first deployment to the last. Each check builds on those before.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteItemCommand, DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { positionKey } from '../../functions/adapters/dynamodb-position-writer.ts';
import { createParcelWorkflow } from '../../functions/sample-warehouse/parcel-workflow.ts';
import { STAGES } from '../../infra/stages.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { returnChanged } from '../../shared/contract/return-message.ts';
import { tokenNamesFor } from '../../shared/deployment/token-names.ts';
import { aState } from '../contract/sample-states.ts';
import { storesOn } from '../contract/stores.ts';
import { type RecordedStory, recordStories } from '../functions/sample-warehouse/parcel-stories.ts';
import { fillIn } from '../runbook/read-commands.ts';
import { readOperators } from '../runbook/read-operators.ts';
import { resourcesCalled } from '../runbook/resources-called.ts';
import { runCdk } from './cdk.ts';
import {
  differences,
  idsByReturn,
  mislabelled,
  newestNumbers,
  outOfOrder,
  partOf,
  withoutRepeats,
} from './compare-events.ts';
import { readDeployed } from './deployed.ts';
import { invoke, setWaking } from './functions.ts';
import { runAsOperator } from './operator.ts';
import { ask, bodyOf, readAll } from './pull-feed.ts';
import { createQueueReader } from './queue-reader.ts';
import { decisionsOn, tellStories } from './stories.ts';
import { type Addresses, synthesizeStages, TOKEN_SECRET } from './synthesize-stages.ts';
import { until } from './until.ts';
import { type WatchedStage, watchStage } from './watched-stage.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';
import { killWorkers } from './workers.ts';
import { listExecutions } from './workflow.ts';

const { MINISTACK_DIRECTORY = '' } = process.env;
const PRODUCTION = STAGES.production.stackName;
const TRIAL = STAGES.trial.stackName;
const TRIAL_WAREHOUSE = `${TRIAL}SampleWarehouse`;

let service: ReferenceService;
let receiver: WebhookReceiver;
let addresses: Addresses;
let app: readonly string[];
let stages: readonly WatchedStage[] = [];
let stories: readonly RecordedStory[] = [];
/** The returns whose quantities changed, of all their items. */
const changed = new Set<number>();

beforeAll(async () => {
  service = await createReferenceService({ groups: 100, life: false, knobs: { rateLimit: 0 } });
  receiver = await startWebhookReceiver(
    (path) => stages.find(({ name }) => path.split('/')[1] === name)?.signingSecret ?? '',
  );
  addresses = { returnsUrl: service.url, receiverUrl: receiver.url };
  app = ['--app', synthesizeStages(addresses)];
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

/** @param stacks all by default */
function deploy(...stacks: readonly string[]): Promise<string> {
  return runCdk([
    'deploy',
    ...(stacks.length > 0 ? stacks : ['--all']),
    ...app,
    '--require-approval',
    'never',
    '--concurrency',
    '2',
  ]);
}

/** Waits until a check holds in both stages. */
function inEachStage(check: (stage: WatchedStage) => Promise<unknown>): Promise<unknown> {
  return Promise.all(stages.map((stage) => until(() => check(stage))));
}

test('both stages deploy, with a subscriber of each kind', async () => {
  await new SecretsManagerClient().send(
    new CreateSecretCommand({ Name: TOKEN_SECRET, SecretString: service.token }),
  );
  await runCdk(['bootstrap', ...app]);

  await deploy();

  stages = await Promise.all([
    watchStage(PRODUCTION, PRODUCTION, receiver),
    watchStage(TRIAL, TRIAL_WAREHOUSE, receiver),
  ]);
});

test('the schedules start the pollers, which read every return', async () => {
  await inEachStage(async ({ collected }) => {
    const kinds = (await collected.read()).map(({ kind }) => kind);
    expect(kinds).toContain('feed.baseline_completed');
  });
});

/** What moves no stamp, so that only walks find it: the returns, by what became of them. */
const hidden = { removed: 0, touched: 0 };

test('a return disappears and another changes without a stamp, for the walks to find', () => {
  const [touched, removed] = service.control.snapshot().slice(-2);
  Object.assign(hidden, { removed: Number(removed?.id), touched: Number(touched?.id) });
  const { touches } = service.control.knobs();
  service.control.setKnob('touches', ['return_group']);
  service.control.mutate(hidden.touched, ({ returns }) => {
    for (const item of returns) item.quantity += 1;
  });
  service.control.setKnob('touches', touches);

  service.control.remove(hidden.removed);
});

describe('a delivered parcel', () => {
  let group: number;
  let parcel: number;

  test('reaches the ordered queues, each return in order, and only what their filters allow', async () => {
    ({ group, parcel } = deliverAParcel());

    await inEachStage(async ({ erp, parcels }) => {
      const all = await erp.read();
      expect(all.map(partOf)).toContain(`shipment ${parcel}`);
      const shipments = all.filter(({ type }) => type.startsWith('shipment.'));
      expect(differences(await parcels.read(), shipments)).toEqual([]);
      expect(outOfOrder(all)).toEqual([]);
      expect([...mislabelled(erp), ...mislabelled(parcels)]).toEqual([]);
    });
  });

  test('reaches the bus, as its rule transforms it', async () => {
    await inEachStage(async ({ erp, collected }) => {
      await collected.read();
      expect(differences(changesOf(collected), await erp.read())).toEqual([]);
      expect(collected.messages.filter(({ kind, event }) => kind !== event.type)).toEqual([]);
    });
  });

  test('is posted to the webhook, signed and in order', async () => {
    await inEachStage(async ({ erp, posted }) => {
      expect(differences(posted(), await erp.read())).toEqual([]);
      expect(outOfOrder(posted())).toEqual([]);
    });
    expect(receiver.forged).toEqual([]);
  });

  test('is posted as whole returns, each with its newest state', async () => {
    await inEachStage(async ({ erp, postedReturns }) => {
      const newest = newestNumbers(await erp.read());
      expect(newest.size).toBeGreaterThan(0);
      expect(newestNumbers(postedReturns())).toEqual(newest);
    });
    expect(receiver.forged).toEqual([]);
  });

  test('is pulled with the token that `readers add` prints', async () => {
    const [{ erp, refOf }] = stages as [WatchedStage];
    const pull = refOf('AWS::Lambda::Function', 'FeedPull');
    const token = await tokenOf('readers add puller');

    const pulled = await until(async () => {
      const events = await readAll(pull, 'puller', token);
      expect(differences(events, await erp.read())).toEqual([]);
      return events;
    });

    expect(outOfOrder(pulled)).toEqual([]);
    expect(await operate('readers list')).toMatch(/^puller +unread +[1-9]\d* events waiting; .*last asked /m);
    const state = await ask(pull, '/v1/readers/puller/state', token);
    expect([state.statusCode, bodyOf(state)]).toEqual([200, expect.arrayContaining([expect.anything()])]);
  });

  test('is pulled as whole returns, each with its newest state', async () => {
    const [{ erp, refOf }] = stages as [WatchedStage];
    const pull = refOf('AWS::Lambda::Function', 'FeedPull');
    const token = await tokenOf('readers add whole --shape return');

    await until(async () => {
      const pulled = (await readAll(pull, 'whole', token)).map((message) => returnChanged.parse(message));
      expect(newestNumbers(pulled)).toEqual(newestNumbers(await erp.read()));
    });

    await operate('readers remove whole');
  });

  test('is not pulled with a token that is not, or no longer, of the reader', async () => {
    const statuses = statusesOf('rotated');
    const [first, foreign] = [await tokenOf('readers add rotated'), await tokenOf('readers add other')];

    const second = await tokenOf('readers rotate rotated');
    const whileRotating = await statuses(first, second, foreign, 'wrong');
    const third = await tokenOf('readers rotate rotated');
    const rotated = await statuses(first, second, third);
    await operate('readers remove rotated');
    const removed = await statuses(third);

    expect(whileRotating).toEqual([200, 200, 401, 401]);
    expect(rotated).toEqual([401, 200, 200]);
    expect(removed).toEqual([404]);
  });

  test('is not pulled from an offset whose events have expired: the reader is behind, and may begin anew', async () => {
    const [{ refOf }] = stages as [WatchedStage];
    const pull = refOf('AWS::Lambda::Function', 'FeedPull');
    const token = await tokenOf('readers add late --alarm-after 5m');
    const read = (query: string) => ask(pull, `/v1/readers/late?${query}`, token);
    const offset = (await read('limit=1')).headers?.['stream-next-offset'];
    const inTime = await read(`offset=${offset}&limit=1`);

    for (const position of [1, 2]) await expirePosition(position);

    const [late, fresh] = [await read(`offset=${offset}&limit=1`), await read('limit=1')];
    expect([inTime, late, fresh].map(({ statusCode }) => statusCode)).toEqual([200, 410, 200]);
    expect(await operate('status')).toMatch(/^reader late +behind; what followed its offset has expired/m);
    const dispatcherLog = refOf('AWS::Logs::LogGroup', 'PollingDispatcher');
    await until(async () => expect((await logOf(dispatcherLog)).join('\n')).toContain('"ReadersBehind":1'));
    await operate('readers remove late');
  });

  test('invokes the function behind its queue, and the one behind the bus', async () => {
    await inEachStage(async ({ erp, refOf }) => {
      const printed = async (name: string) => (await logOf(refOf('AWS::Logs::LogGroup', name))).join('\n');
      const [hello, onArrival] = [await printed('HelloLogGroup'), await printed('OnArrival')];
      const arrival = erp.messages.find((it) => partOf(it) === `shipment ${parcel}`);
      for (const { id } of erp.messages) expect(hello).toContain(id);
      expect(onArrival).toContain(arrival?.id);
    });
  });

  test('starts one workflow in the sample warehouse, which ends when its goods are done', async () => {
    await inEachStage(async ({ workflowArn }) => {
      expect((await listExecutions(workflowArn)).map(({ status }) => status)).toEqual(['RUNNING']);
    });
    service.control.mutate(group, ({ returns }) => {
      for (const item of returns) item.status = 'COMPLETED';
    });

    await inEachStage(async ({ workflowArn }) => {
      const [execution] = await listExecutions(workflowArn);
      expect(execution).toMatchObject({ status: 'SUCCEEDED' });
      expect(new Set(execution?.output.decisions?.map(({ decision }) => decision))).toEqual(
        new Set(['RESTOCK']),
      );
    });
  });
});

/** The token that a command prints. */
async function tokenOf(command: string): Promise<string> {
  return (await operate(command)).split('\n')[0] ?? '';
}

/** How the pull feed answers a request of the reader with each of the tokens. */
function statusesOf(reader: string) {
  const [{ refOf }] = stages as [WatchedStage];
  const pull = refOf('AWS::Lambda::Function', 'FeedPull');
  return async (...tokens: readonly string[]) => {
    const answers = await Promise.all(tokens.map((token) => ask(pull, `/v1/readers/${reader}`, token)));
    return answers.map(({ statusCode }) => statusCode);
  };
}

/** Deletes an event's position, as its time to live does after 30 days. */
async function expirePosition(position: number): Promise<void> {
  const [{ outputs }] = stages as [WatchedStage];
  await new DynamoDBClient().send(
    new DeleteItemCommand({ TableName: outputs.MarksTable, Key: { k: { S: positionKey(position) } } }),
  );
}

/** Delivers a parcel with all line items of its return. Each stage publishes the changes as its own events. */
function deliverAParcel(): { readonly parcel: number; readonly group: number } {
  const group = service.control
    .snapshot()
    .find(
      ({ shipments: [shipment], returns }) =>
        shipment !== undefined &&
        shipment.status !== 'DELIVERED' &&
        returns.length === (shipment.return_ids as readonly unknown[] | null)?.length &&
        returns.every(({ status }) => status === 'OPEN'),
    );
  if (group === undefined) throw new Error('No parcel is on its way.');
  service.control.mutate(Number(group.id), ({ shipments, returns }) => {
    shipments[0]!.status = 'DELIVERED';
    for (const item of returns) item.quantity += 1;
  });
  return { group: Number(group.id), parcel: Number(group.shipments[0]?.id) };
}

async function logOf(logGroupName: string): Promise<(string | undefined)[]> {
  const { events = [] } = await new CloudWatchLogsClient().send(new FilterLogEventsCommand({ logGroupName }));
  return events.map(({ message }) => message);
}

/** The changes of returns on the bus, without the feed's own events. */
function changesOf({ messages }: WatchedStage['collected']): FeedEvent[] {
  return messages.flatMap(({ kind, event }) => (kind.startsWith('feed.') ? [] : [event]));
}

describe('the daily sweeps', () => {
  const named = (texts: readonly string[]) =>
    stages.flatMap(({ refOf }) => texts.map((text) => refOf('AWS::Lambda::Function', text)));
  const RELAYS = ['RelayToOrdered', 'RelayToBus'];
  const SENDER = ['WebhooksWmsSender'];
  /** Runs sweeps as their schedules do. */
  const sweep = async ({ refOf }: WatchedStage, ...texts: string[]) => {
    for (const text of texts) await invoke(refOf('AWS::Lambda::Function', text), {});
  };

  test('send what the relays never received', async () => {
    await setWaking(named([...RELAYS, ...SENDER]), false);
    changeAReturn(0);

    await inEachStage(async (stage) => {
      await sweep(stage, 'SweepToOrdered', 'SweepToBus');
      expect(outdated(await stage.erp.read())).toEqual([]);
      await stage.collected.read();
      expect(differences(changesOf(stage.collected), stage.erp.messages)).toEqual([]);
    });
  });

  test('wake the sender of a webhook whose queue lost its messages', async () => {
    for (const { refOf } of stages)
      await new SQSClient().send(
        new PurgeQueueCommand({ QueueUrl: refOf('AWS::SQS::Queue', 'WebhooksWmsQueue') }),
      );
    await setWaking(named(SENDER), true);

    for (const stage of stages) await sweep(stage, 'WebhooksWmsSweep');

    await inEachStage(async ({ erp, posted }) => {
      expect(differences(posted(), await erp.read())).toEqual([]);
      expect(outOfOrder(posted())).toEqual([]);
    });
    await setWaking(named(RELAYS), true);
  });
});

/** The statuses of a return's items after each of three changes, which also count one more of some items. */
const THREE_CHANGES: readonly (readonly string[])[] = [
  ['OPEN', 'OPEN', 'CANCELED', 'COMPLETED'],
  ['CANCELED', 'IN_REVIEW', 'OPEN', 'COMPLETED'],
  ['CANCELED', 'OPEN', 'CANCELED', 'COMPLETED'],
];

test('filters on `from`, `to` and `changed` pass exactly the events that they promise', async () => {
  const groups = service.control
    .snapshot()
    .filter(({ returns }) => returns.length === 4 && returns.every(({ status }) => status === 'COMPLETED'))
    .map(({ id }) => Number(id));
  expect(groups.length).toBeGreaterThan(2);

  for (const [round, statuses] of THREE_CHANGES.entries()) {
    for (const group of groups) {
      changed.add(group);
      service.control.mutate(group, ({ returns }) => {
        for (const [at, item] of returns.entries()) {
          item.status = statuses[at]!;
          if (at === round || at === 3) item.quantity += 1;
        }
      });
    }
    await inEachStage(async ({ erp }) => expect(outdated(await erp.read())).toEqual([]));
  }

  await inEachStage(async (stage) => {
    await expectFiltered(stage);
    expect(stage.canceled.ordered.messages).toHaveLength(2 * groups.length);
  });
});

/** Both filters have passed exactly what they promise of all events, and the topic each return's in order. */
async function expectFiltered({ erp, canceled, recounted }: WatchedStage): Promise<void> {
  await erp.read();
  for (const [{ ordered, onBus }, promised] of [
    [canceled, erp.messages.filter(isCanceled)],
    [recounted, erp.messages.filter(isRecounted)],
  ] as const) {
    expect(idsByReturn(await ordered.read())).toEqual(idsByReturn(promised));
    expect(differences(ordered.messages, promised)).toEqual([]);
    const changes = promised.filter(({ replayid }) => replayid === undefined);
    expect(differences(await onBus.read(), changes)).toEqual([]);
  }
}

function isCanceled({ type, data }: FeedEvent): boolean {
  if (type !== 'return_line_item.status_changed') return false;
  return data.object.status === 'CANCELED' && data.previous_attributes.status === 'OPEN';
}

function isRecounted({ data }: FeedEvent): boolean {
  return 'changed' in data && data.changed.some((field) => field === 'quantity');
}

describe('the sample warehouse behind the bus', () => {
  test('takes the events of all stories, each twice and in any order', async () => {
    stories = await recordStories();

    await tellStories(stories, stages[0]!.refOf('AWS::Lambda::Function', 'WarehouseSubscriber'));
  });

  test('starts a workflow once, even after it has ended', async () => {
    const { workflow, workflowArn } = aWorkflow();
    const parcel = { return_group: 'acme/1', parcel: 'parcel/21', line_items: [], expires: '1' };
    const named = async () => (await listExecutions(workflowArn)).filter(({ name }) => name === 'acme_g_1_5');
    await workflow.start('acme_g_1_5', parcel);
    await until(async () => expect((await named())[0]).toMatchObject({ status: 'SUCCEEDED' }));

    await workflow.start('acme_g_1_5', parcel);

    expect(await named()).toHaveLength(1);
  });

  test('wakes nothing with an unknown token, and fails without its state machine', async () => {
    const { workflow, gone } = aWorkflow();

    await expect(workflow.wake('no-token')).resolves.toBeUndefined();
    await expect(gone.start('acme_g_1_6', {} as never)).rejects.toMatchObject({
      name: 'StateMachineDoesNotExist',
    });
  });
});

/** The adapter of the warehouse's function, for its state machine and for one that does not exist. */
function aWorkflow() {
  const client = new SFNClient();
  const { workflowArn } = stages[0]!;
  return {
    workflowArn,
    workflow: createParcelWorkflow({ client, stateMachineArn: workflowArn }),
    gone: createParcelWorkflow({ client, stateMachineArn: `${workflowArn}-gone` }),
  };
}

test('kill -9 ends each kind of function in the middle of its work', async () => {
  const [one, other] = stages as [WatchedStage, WatchedStage];
  // Without a poller the other functions of its stage have no work.
  const alive = new Set([
    one.refOf('AWS::Lambda::Function', 'PollingPoller'),
    ...['RelayToOrdered', 'RelayToBus', 'WebhooksWmsSender'].map((text) =>
      other.refOf('AWS::Lambda::Function', text),
    ),
  ]);
  let round = 0;
  service.control.setKnob('latencyMs', { least: 200, most: 200 });

  await until(() => {
    changeAReturn(round++);
    killWorkers([...alive]);
    const log = readFileSync(join(MINISTACK_DIRECTORY, 'ministack.log'), 'utf8');
    for (const name of alive) if (log.includes(`ESM: Lambda ${name} failed processing`)) alive.delete(name);
    expect([...alive]).toEqual([]);
  });
  service.control.setKnob('latencyMs', { least: 0, most: 0 });
});

/** Runs a command on the first stage as a person with exactly the rights that SECURITY.md lists for it. */
async function operate(command: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const [stage] = stages as [WatchedStage];
  // SECURITY.md's example of a source is at another address.
  const operators = readOperators((name) =>
    resourcesCalled(name, stage).map((arn) => arn.replace('/globex.example.com/', '/127.0.0.1_*/')),
  );
  const filled = fillIn(`${command} --stack ${PRODUCTION}`, (name) => values[name]!);
  const statements = operators.statementsFor(command.split(' '));
  const { code, stdout, stderr } = await runAsOperator(filled, statements);
  // 3: the command succeeded, and something needs attention.
  expect([0, 3], stderr).toContain(code);
  expect(stderr).not.toMatch(/not authorized/);
  return stdout + stderr;
}

describe('operators, with exactly the rights that SECURITY.md lists', () => {
  let values: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const [{ outputs, erp }] = stages as [WatchedStage];
    const tracked = service.control.snapshot().find(({ shipments: [it] }) => it?.tracking_number);
    values = {
      webhook: 'Wms',
      group: erp.messages[0]!.partitionkey.split('/')[1]!,
      tracking: String(tracked?.shipments[0]?.tracking_number),
    };
    const { SnapshotsTable = '', LedgerTable = '', MarksTable = '', SourcesTable = '' } = outputs;
    const { states } = storesOn(new DynamoDBClient(), {
      ...{ snapshots: SnapshotsTable, ledger: LedgerTable, marks: MarksTable, sources: SourcesTable },
    });
    await states.save(aState('held', 1, { mintedIn: await states.identity() }), 0);
  });

  test.concurrent.each<[string, RegExp]>([
    ['status', /^acme {2}well/m],
    ['explain acme <group>', /shipment/],
    ['explain --tracking <tracking>', /return group/],
    ['release --source held --hold 7 --yes', /hold 7 of source held/],
    ['redrive acme <group>', /all events are sent/],
    ['redrive acme <group> --to <webhook>', /its sender tries again/],
    ['replay acme --group <group>', /events sent/],
    ['replay acme --group <group> --to <webhook>', /events sent/],
    ['webhooks list', /^webhook Wms \(127\.0\.0\.1/m],
    ['webhooks test <webhook>', /answered 204/],
  ])('%s', async (command, printed) => {
    expect(await operate(command, values)).toMatch(printed);
  });
});

test('what killed functions left undone is done once, and in order', async () => {
  await inEachStage(async (stage) => {
    const { erp, collected, posted } = stage;
    const all = (await erp.read()).filter(({ replayid }) => replayid === undefined);
    expect(outdated(all)).toEqual([]);
    expect(outOfOrder(all)).toEqual([]);
    expect(mislabelled(erp)).toEqual([]);
    const first = withoutRepeats(posted()).filter(({ replayid }) => replayid === undefined);
    expect(outOfOrder(first)).toEqual([]);
    expect(differences(first, all)).toEqual([]);
    await collected.read();
    expect(differences(changesOf(collected), all)).toEqual([]);
    await expectFiltered(stage);
  });
  expect(receiver.forged).toEqual([]);
});

/** Changes a return, one of twenty in turn. @returns its id */
function changeAReturn(round: number): number {
  const group = Number(service.control.snapshot()[round % 20]?.id);
  changed.add(group);
  service.control.mutate(group, ({ returns }) => {
    for (const item of returns) item.quantity += 1;
  });
  return group;
}

/** The line items of changed returns whose last event has another quantity than the service. */
function outdated(events: readonly FeedEvent[]): string[] {
  const latest = new Map(events.map((event) => [partOf(event), event.data.object]));
  return service.control
    .snapshot()
    .filter(({ id }) => changed.has(Number(id)))
    .flatMap(({ returns }) => returns)
    .flatMap(({ id, quantity }) => {
      const object = latest.get(`return_line_item ${id}`);
      return object && 'quantity' in object && object.quantity === quantity ? [] : [String(id)];
    });
}

test('a replay has posted every event of the return to the webhook again', () => {
  const [{ erp, posted }] = stages as [WatchedStage];
  const group = erp.messages[0]!.partitionkey;

  const ids = posted().flatMap(({ id, partitionkey }) => (partitionkey === group ? [id] : []));

  const once = ids.filter((id) => ids.indexOf(id) === ids.lastIndexOf(id));
  expect(ids).not.toEqual([]);
  expect(once).toEqual([]);
});

test('a paused webhook gets nothing until it is resumed', async () => {
  const [{ erp, posted }] = stages as [WatchedStage];
  await operate('webhooks pause Wms');
  const before = posted().length;
  const group = changeAReturn(1);
  await until(async () => expect(outdated(await erp.read())).toEqual([]));

  const whilePaused = posted().length;
  await operate('webhooks resume Wms');
  // Its own rings come again within a minute.
  await operate('redrive acme <group> --to <webhook>', { group: String(group), webhook: 'Wms' });

  expect(whilePaused).toBe(before);
  await until(() => expect(outdated(posted())).toEqual([]));
});

test('an added source is polled until it is removed', async () => {
  const [{ collected, outputs }] = stages as [WatchedStage];
  const { ofSecrets } = tokenNamesFor(outputs.FeedName ?? '', service.url);
  const secret = `${ofSecrets}main`;
  await new SecretsManagerClient().send(
    new CreateSecretCommand({ Name: secret, SecretString: service.token }),
  );

  const added = await operate(`sources add globex --base-url ${service.url} --token-secret ${secret}`);
  await until(async () => {
    const begun = (await collected.read()).filter(({ kind }) => kind === 'feed.baseline_completed');
    expect(begun.map(({ event }) => event.partitionkey.split('/')[0])).toContain('globex');
  });
  const removed = await operate('sources remove globex');

  expect(added).toMatch(/^added: source globex/);
  expect(removed).toMatch(/^removed: source globex/);
});

test('an update adds a subscriber, and the other subscribers miss nothing', async () => {
  app = ['--app', synthesizeStages(addresses, { withLateSubscriber: true })];
  await deploy(PRODUCTION);
  changeAReturn(3);

  const updated = await readDeployed(PRODUCTION);
  const late = createQueueReader<FeedEvent>(updated.refOf('AWS::SQS::Queue', 'LateQueue'));
  const [{ outputs, erp }] = stages as [WatchedStage];
  expect(updated.outputs.Tables).toBe(outputs.Tables);
  await until(async () => {
    const [all, ofLate] = [await erp.read(), await late.read()];
    expect(outdated(all)).toEqual([]);
    expect(ofLate).not.toEqual([]);
    expect(differences(ofLate, all.slice(-ofLate.length))).toEqual([]);
  });
  expect(outOfOrder(erp.messages.filter(({ replayid }) => replayid === undefined))).toEqual([]);
});

test('a webhook is signed with its new secret after a rotation', async () => {
  const [stage] = stages as [WatchedStage];
  const before = await operate('webhooks secret Wms');
  await operate('webhooks rotate Wms');

  stage.signingSecret = (await operate('webhooks secret Wms')).trim();
  changeAReturn(2);

  expect(stage.signingSecret).not.toBe(before.trim());
  await until(() => expect(outdated(stage.posted())).toEqual([]));
});

test('what moves no stamp has been found by walks', async () => {
  changed.add(hidden.touched);

  await inEachStage(async ({ erp }) => {
    expect(outdated(await erp.read())).toEqual([]);
    const removals = erp.messages.filter(({ type }) => type === 'return_group.removed');
    expect(removals.map(({ partitionkey }) => partitionkey)).toEqual([`acme/${hidden.removed}`]);
  });
});

test('a forgotten return leaves no data behind', async () => {
  const [{ outputs, erp }] = stages as [WatchedStage];

  const printed = await operate(`forget acme ${hidden.removed} --yes`);

  expect(printed).toMatch(new RegExp(`forgotten: return group ${hidden.removed} of source acme`));
  const { Items = [] } = await new DynamoDBClient().send(
    new ScanCommand({ TableName: outputs.LedgerTable, ConsistentRead: true }),
  );
  const kept = Items.filter(({ k }) => k?.S?.endsWith(`_${hidden.removed}`));
  expect(JSON.stringify(kept)).not.toContain('return_line_item');
  await until(async () =>
    expect((await erp.read()).map(({ type }) => type)).toContain('return_group.forgotten'),
  );
});

test('a second deployment changes nothing', async () => {
  expect((await deploy()).match(/\(no changes\)/g)).toHaveLength(3);
});

test('the sample warehouse has decided every story right, those without news at the time limit', async () => {
  const [{ refOf, workflowArn }] = stages as [WatchedStage];
  const ends = stories.map(({ name, ends }) => [name, ends]);

  await until(async () => {
    const decisions = stories.map(async (story) => [
      story.name,
      await decisionsOn(story, refOf('AWS::DynamoDB::Table', 'WarehouseGoods')),
    ]);
    expect(await Promise.all(decisions)).toEqual(ends);
  });
  const executions = (await listExecutions(workflowArn)).filter(({ name }) => name?.startsWith('stories'));
  expect(executions).toHaveLength(stories.reduce((sum, { workflows = 1 }) => sum + workflows, 0));
  expect(executions.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
});

test('destroy leaves what the stages retain, and a stage continues with its tables', async () => {
  const [{ outputs, erp }] = stages as [WatchedStage];
  const before = (await erp.read()).filter(({ replayid }) => replayid === undefined);
  await runCdk(['destroy', '--all', ...app, '--force']);
  const { TableNames = [] } = await new DynamoDBClient().send(new ListTablesCommand());

  expect(TableNames.filter((name) => name.startsWith(TRIAL))).toEqual([]);
  expect(TableNames.filter((name) => name.startsWith(PRODUCTION))).toHaveLength(5);
  for (let round = 0; round < 10; round += 1) changeAReturn(round);
  const created = service.control.create();
  const kept = { [PRODUCTION]: JSON.parse(outputs.Tables ?? '') };
  app = ['--app', synthesizeStages(addresses, { kept })];
  await deploy(PRODUCTION);

  const again = await watchStage(PRODUCTION, PRODUCTION, receiver);
  await until(async () => {
    const all = [...before, ...(await again.erp.read())];
    expect(outdated(all)).toEqual([]);
    expect(all.map(partOf)).toContain(`return_group ${created.groupId}`);
    expect(outOfOrder(all)).toEqual([]);
    expect(new Set(all.map(({ data }) => data.generation)).size).toBe(1);
  });
});
