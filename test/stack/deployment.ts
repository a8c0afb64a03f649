// A template, deployed on the engines of this machine: tables and queues, functions with their roles, event source
// mappings, rules and schedules, all of them by what stands in the template. Of Lambda it has one environment for
// each function; parallelization and concurrency are left out.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EventBus } from '../../local/engines/event-bus.ts';
import { startEventBusEngine } from '../../local/engines/event-bus-engine.ts';
import type { EventSourceMapping } from '../../local/engines/event-source-mapping.ts';
import type { AwsEndpoint, Call } from './aws-endpoint.ts';
import { createFunctions, startEndpoint } from './create-functions.ts';
import { createResources, REGION } from './create-resources.ts';
import { startEventSources } from './event-sources.ts';
import { createFailures } from './failures.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { readRoles } from './policies.ts';
import { subscribeRules } from './rules.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import type { Assembly, Template } from './template.ts';
import { createWorld, type World } from './world.ts';

export interface EngineAddresses {
  readonly dynamoDb: string;
  readonly sqs: string;
}

export interface DeployOptions {
  readonly assembly: Assembly;
  /** The assembly's, or a copy of it in which something is different. */
  readonly template: Template;
  readonly engines: EngineAddresses;
  /** By name. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface Deployment {
  /** Every call of the SDK that a function made. */
  readonly calls: readonly Call[];
  /** What went wrong, in words. */
  readonly failures: readonly string[];
  /** Events that the archive would have kept. */
  readonly archived: readonly unknown[];
  readonly schedules: Schedules;
  readonly endpoint: Pick<AwsEndpoint, 'failNext'>;
  /** The one function with a text in its logical id. */
  functionWith(text: string): LambdaFunction;
  /** That can be received from a queue. */
  countMessages(queueId: string): Promise<number>;
  /** Resolves once nothing is under way any more, or at the first failure. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const LOCAL = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export async function deploy({ assembly, template, engines, secrets }: DeployOptions): Promise<Deployment> {
  const [calls, archived]: [Call[], unknown[]] = [[], []];
  const failures = createFailures();
  const directory = await mkdtemp(join(tmpdir(), 'returns-feed-stack-'));
  const dynamoDb = new DynamoDBClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const sqs = new SQSClient({ ...LOCAL, endpoint: engines.sqs });
  const streams = new DynamoDBStreamsClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const { bus, ...busEngine } = await startEventBusEngine({ region: REGION, onDeliveryError: failures.add });

  let endpoint: AwsEndpoint | undefined;
  const created = await createResources(template, { dynamoDb, sqs }, () => endpoint?.url ?? '');
  const mayDo = readRoles(template, created.names);
  const world = createWorld({ template, created, sqs, streams, mayDo, failures });
  endpoint = await startEndpoint(() => world, {
    ...{ mayDo, secrets, calls },
    engines: { ...engines, bus: busEngine.endpoint },
  });
  createFunctions(world, assembly, endpoint, directory);
  subscribeRules(world, bus, archived);
  const mappings = startEventSources(world);

  return {
    ...{ calls, archived, endpoint, failures: failures.list },
    schedules: createSchedules(world),
    functionWith: (text) => functionWith(world, text),
    countMessages: (queueId) => countMessages(world, queueId),
    settle: () => Promise.race([failures.first, untilIdle(mappings, bus).catch(() => {})]),
    async stop() {
      await Promise.all(mappings.map((mapping) => mapping.stop()));
      await Promise.all([...world.functions.values()].map((lambda) => lambda.stop()));
      await Promise.all([endpoint.stop(), busEngine.stop()]);
      for (const client of [dynamoDb, sqs, streams]) client.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** In the order of the flow: what a mapping hands on is in before the next is asked. */
async function untilIdle(
  mappings: readonly EventSourceMapping[],
  bus: Pick<EventBus, 'idle'>,
): Promise<void> {
  for (const mapping of mappings) await mapping.idle();
  await bus.idle();
}

function functionWith({ functions }: World, text: string): LambdaFunction {
  const found = [...functions].filter(([id]) => id.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} functions have ${text} in their ids.`);
  return found[0]![1];
}

async function countMessages({ sqs, created }: World, queueId: string): Promise<number> {
  const QueueUrl = created.queueUrl(created.names.attribute(queueId, 'Arn'));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}
