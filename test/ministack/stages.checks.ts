// Both stages on MiniStack, from the first deployment to the last. Each check builds on those before.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createParcelWorkflow } from '../../functions/sample-warehouse/parcel-workflow.ts';
import { STAGES } from '../../infra/stages.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { aState } from '../contract/sample-states.ts';
import { storesOn } from '../contract/stores.ts';
import { type RecordedStory, recordStories } from '../functions/sample-warehouse/parcel-stories.ts';
import { fillIn } from '../runbook/read-commands.ts';
import { readOperators } from '../runbook/read-operators.ts';
import { type DeployedParts, resourcesCalled } from '../runbook/resources-called.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../stack/webhook-receiver.ts';
import { runCdk } from './cdk.ts';
import { differences, idsByReturn, outOfOrder, partOf, withoutRepeats } from './compare-events.ts';
import { runAsOperator } from './operator.ts';
import { decisionsOn, tellStories } from './stories.ts';
import { synthesizeStages, TOKEN_SECRET } from './synthesize-stages.ts';
import { until } from './until.ts';
import { type WatchedStage, watchStage } from './watched-stage.ts';
import { killWorkers } from './workers.ts';
import { listExecutions } from './workflow.ts';

const { MINISTACK_DIRECTORY = '' } = process.env;
const PRODUCTION = STAGES.production.stackName;
const TRIAL = STAGES.trial.stackName;
const TRIAL_WAREHOUSE = `${TRIAL}SampleWarehouse`;

let service: ReferenceService;
let receiver: WebhookReceiver;
let app: readonly string[];
let stages: readonly WatchedStage[] = [];
let stories: readonly RecordedStory[] = [];
/** The returns whose quantities changed, of all their items. */
const changed = new Set<number>();

beforeAll(async () => {
  service = await createReferenceService({ groups: 100, life: false, knobs: { rateLimit: 0 } });
  receiver = await startWebhookReceiver(
    (path) => stages.find(({ name }) => path === `/${name}`)?.signingSecret ?? '',
  );
  app = ['--app', synthesizeStages({ returnsUrl: service.url, receiverUrl: receiver.url })];
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

function deploy(): Promise<string> {
  return runCdk(['deploy', '--all', ...app, '--require-approval', 'never', '--concurrency', '2']);
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
    });
  });

  test('reaches the bus, as its rule transforms it', async () => {
    await inEachStage(async ({ erp, collected }) => {
      await collected.read();
      expect(differences(changesOf(collected), erp.messages)).toEqual([]);
      expect(collected.messages.filter(({ kind, event }) => kind !== event.type)).toEqual([]);
    });
  });

  test('is posted to the webhook, signed and in order', async () => {
    await inEachStage(async ({ erp, posted }) => {
      expect(differences(posted(), erp.messages)).toEqual([]);
      expect(outOfOrder(posted())).toEqual([]);
    });
    expect(receiver.forged).toEqual([]);
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

describe('operators, with exactly the rights that SECURITY.md lists', () => {
  let values: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const [stage] = stages;
    const { outputs, erp } = stage!;
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
    ['replay acme --group <group>', /events sent/],
    ['webhooks list', /: Wms, wms\.example\.com/],
    ['webhooks test <webhook>', /answered 204/],
  ])('%s', async (command, printed) => {
    const [stage] = stages;
    const operators = readOperators((name) => withAllOrdered(resourcesCalled(name, stage!), stage!));

    const { code, stdout, stderr } = await runAsOperator(
      fillIn(`${command} --stack ${PRODUCTION}`, (name) => values[name]!),
      operators.statementsFor(command.split(' ')),
    );

    // 3: the command succeeded, and something needs attention.
    expect([0, 3], stderr).toContain(code);
    expect(stderr).not.toMatch(/not authorized/);
    expect(stdout + stderr).toMatch(printed);
  });
});

const ORDERED = ['Erp', 'Hello', 'Parcels', 'Canceled', 'Recounted'];

/** The names of SECURITY.md stand for all queues of their kind, of which the runbook's feed has one. */
function withAllOrdered(arns: readonly string[], { arnOf }: DeployedParts): string[] {
  const queue = (name: string) => arnOf('AWS::SQS::Queue', name);
  return arns.flatMap((arn) => {
    const kind = ['Queue', 'DeadLetters'].find((it) => queue(`Erp${it}`) === arn);
    return kind === undefined ? arn : ORDERED.map((name) => queue(`${name}${kind}`));
  });
}

test('what killed functions left undone is done once, and in order', async () => {
  await inEachStage(async (stage) => {
    const { erp, collected, posted } = stage;
    const all = (await erp.read()).filter(({ replayid }) => replayid === undefined);
    expect(outdated(all)).toEqual([]);
    expect(outOfOrder(all)).toEqual([]);
    const first = withoutRepeats(posted());
    expect(outOfOrder(first)).toEqual([]);
    expect(differences(first, all)).toEqual([]);
    await collected.read();
    expect(differences(changesOf(collected), all)).toEqual([]);
    await expectFiltered(stage);
  });
  expect(receiver.forged).toEqual([]);
});

/** Changes a return, one of twenty in turn. */
function changeAReturn(round: number): void {
  const group = Number(service.control.snapshot()[round % 20]?.id);
  changed.add(group);
  service.control.mutate(group, ({ returns }) => {
    for (const item of returns) item.quantity += 1;
  });
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
  app = ['--app', synthesizeStages({ returnsUrl: service.url, receiverUrl: receiver.url }, kept)];
  await deploy();

  const again = await watchStage(PRODUCTION, PRODUCTION, receiver);
  await until(async () => {
    const all = [...before, ...(await again.erp.read())];
    expect(outdated(all)).toEqual([]);
    expect(all.map(partOf)).toContain(`return_group ${created.groupId}`);
    expect(outOfOrder(all)).toEqual([]);
    expect(new Set(all.map(({ data }) => data.generation)).size).toBe(1);
  });
});
