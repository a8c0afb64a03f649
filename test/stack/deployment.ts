// Deploys a template on the engines of this machine: tables, queues and topics, functions with their roles, event source
// mappings, subscriptions, rules and schedules, all as the template defines them. As many relays read a shard of the stream
// at once as its mapping allows; one function reads a queue.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { EventBus } from '../engines/event-bus.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import type { EventSourceMapping } from '../engines/event-source-mapping.ts';
import type { AwsEndpoint, Call } from './aws-endpoint.ts';
import { createFunctions, startEndpoint, type VariablesOf } from './create-functions.ts';
import { createResources, REGION } from './create-resources.ts';
import { startEventSources } from './event-sources.ts';
import { createFailures } from './failures.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { createPermissionChecks, type PermissionChecks } from './permission-checks.ts';
import { type Names, resolve } from './resolve-intrinsics.ts';
import { subscribeRules } from './rules.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { subscribeQueues } from './subscriptions.ts';
import { type Assembly, idOf, resourcesOf, type Template } from './template.ts';
import { createWorld, type World } from './world.ts';

export interface EngineAddresses {
  readonly dynamoDb: string;
  /** The address of the engine of queues and topics. */
  readonly sqs: string;
}

export interface DeployOptions {
  readonly assembly: Assembly;
  /** The assembly's template, or a changed copy of it. */
  readonly template: Template;
  readonly engines: EngineAddresses;
  /** The values of secrets, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Changes the variables of each function. @default none */
  readonly variablesOf?: VariablesOf;
}

export interface Deployment {
  /** The stack's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The template's parameters of Parameter Store, with queue URLs for functions. */
  readonly parameters: readonly { readonly Name: string; readonly Value: string }[];
  /** The address of the bus's engine. */
  readonly busEndpoint: string;
  /** Every SDK call of a function. */
  readonly calls: readonly Call[];
  /** The problems, as messages. */
  readonly failures: readonly string[];
  /** Resolves at the first failure. */
  readonly failed: Promise<void>;
  /** The permission checks of the run so far that the policies of a damaged copy of the template deny, as problems. */
  readonly deniedBy: PermissionChecks['deniedBy'];
  /** The events that the archive would have kept. */
  readonly archived: readonly unknown[];
  readonly schedules: Schedules;
  readonly endpoint: Pick<AwsEndpoint, 'failNext'>;
  /** The one function with a text in its logical id. */
  functionWith(text: string): LambdaFunction;
  /** The items of the one table with a text in its logical id, as plain values. */
  itemsOf(tableText: string): Promise<readonly Record<string, unknown>[]>;
  /** Replaces an item of the one table with a text in its logical id. */
  putItem(tableText: string, item: Readonly<Record<string, unknown>>): Promise<void>;
  deleteItem(tableText: string, key: Readonly<Record<string, unknown>>): Promise<void>;
  /** The value of the one generated secret with a text in its logical id. */
  secretWith(text: string): string;
  /** The number of messages that can be received from a queue. */
  countMessages(queueId: string): Promise<number>;
  /** Moves the clocks of all functions forward. */
  advance(durationMs: number): void;
  /** Resolves when nothing is in progress, or at the first failure. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const LOCAL = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export async function deploy(options: DeployOptions): Promise<Deployment> {
  const { assembly, template, engines, secrets } = options;
  const { variablesOf = (variables) => variables } = options;
  const [calls, archived]: [Call[], unknown[]] = [[], []];
  const failures = createFailures();
  const directory = await mkdtemp(join(tmpdir(), 'returns-feed-stack-'));
  const dynamoDb = new DynamoDBClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const sqs = new SQSClient({ ...LOCAL, endpoint: engines.sqs });
  const sns = new SNSClient({ ...LOCAL, endpoint: engines.sqs });
  const streams = new DynamoDBStreamsClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const { bus, ...busEngine } = await startEventBusEngine({ region: REGION, onDeliveryError: failures.add });

  let endpoint: AwsEndpoint | undefined;
  const created = await createResources(template, { dynamoDb, sqs, sns }, () => endpoint?.url ?? '');
  const checks = createPermissionChecks(template, created.names);
  const world = createWorld({ template, created, sqs, sns, streams, checks, failures });
  endpoint = await startEndpoint(() => world, {
    ...{ checks, secrets, calls },
    engines: { ...engines, bus: busEngine.endpoint },
  });
  const ahead = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  createFunctions(world, { assembly, endpoint, directory, variablesOf, ahead });
  await subscribeQueues(world);
  subscribeRules(world, { bus, archived });
  const mappings = startEventSources(world);
  const tableWith = (text: string) => created.names.ref(idOf(template, 'AWS::DynamoDB::Table', text));

  return {
    outputs: mapOutputs(template, created.names),
    parameters: resourcesOf(template, 'AWS::SSM::Parameter').map(([id]) => world.properties(id)),
    busEndpoint: busEngine.endpoint,
    ...{ calls, archived, endpoint, failures: failures.list, failed: failures.first },
    deniedBy: checks.deniedBy,
    schedules: createSchedules(world),
    functionWith: (text) => theOneWith(world.functions, text),
    itemsOf: (text) => itemsOf(dynamoDb, tableWith(text)),
    async putItem(text, item) {
      await dynamoDb.send(new PutItemCommand({ TableName: tableWith(text), Item: marshall(item) }));
    },
    async deleteItem(text, key) {
      await dynamoDb.send(new DeleteItemCommand({ TableName: tableWith(text), Key: marshall(key) }));
    },
    secretWith: (text) =>
      created.secrets.get(created.names.ref(idOf(template, 'AWS::SecretsManager::Secret', text))) ?? '',
    countMessages: (queueId) => countMessages(world, queueId),
    advance(durationMs) {
      ahead[0] = (ahead[0] ?? 0) + durationMs;
    },
    settle: () => Promise.race([failures.first, untilIdle(mappings, bus).catch(() => {})]),
    async stop() {
      await Promise.all(mappings.map((mapping) => mapping.stop()));
      await Promise.all([...world.functions.values()].map((lambda) => lambda.stop()));
      await Promise.all([endpoint.stop(), busEngine.stop()]);
      for (const client of [dynamoDb, sqs, sns, streams]) client.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function mapOutputs({ Outputs = {} }: Template, names: Names): Record<string, string> {
  return Object.fromEntries(Object.entries(Outputs).map(([id, { Value }]) => [id, resolve(Value, names)]));
}

/** Waits for the mappings in the order of the flow, so that one mapping's output arrives before the next is checked. */
async function untilIdle(
  mappings: readonly EventSourceMapping[],
  bus: Pick<EventBus, 'idle'>,
): Promise<void> {
  for (const mapping of mappings) await mapping.idle();
  await bus.idle();
}

function theOneWith<It>(byId: ReadonlyMap<string, It>, text: string): It {
  const found = [...byId].filter(([id]) => id.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} have ${text} in their ids.`);
  return found[0]![1];
}

/** Returns the items as plain values, with sets as sorted lists. */
async function itemsOf(client: DynamoDBClient, TableName: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items.map((item) => {
    const entries = Object.entries(unmarshall(item)).map(([name, value]) => [
      name,
      value instanceof Set ? [...value].sort() : value,
    ]);
    return Object.fromEntries(entries);
  });
}

async function countMessages({ sqs, created }: World, queueId: string): Promise<number> {
  const QueueUrl = created.queueUrl(created.names.attribute(queueId, 'Arn'));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}
