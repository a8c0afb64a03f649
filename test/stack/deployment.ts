// A template, deployed on the engines of this machine: tables and queues, functions with their roles, event source
// mappings, rules and schedules, all of them by what stands in the template. Of Lambda it has one environment for
// each function; parallelization and concurrency are left out.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startEventBusEngine } from '../../local/engines/event-bus-engine.ts';
import type { EventSourceMapping } from '../../local/engines/event-source-mapping.ts';
import { type AwsEndpoint, type Call, startAwsEndpoint } from './aws-endpoint.ts';
import { arnOf, type Created, createResources, REGION } from './create-resources.ts';
import { startEventSources } from './event-sources.ts';
import { type LambdaFunction, startFunction, writeInlineCode } from './lambda-function.ts';
import { allows, type Permission, type Statement, statementsOf } from './policies.ts';
import { resolve } from './resolve-intrinsics.ts';
import { subscribeRules } from './rules.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { type Assembly, resourcesOf, type Template } from './template.ts';

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

/** What the parts of a deployment share. */
export interface World {
  readonly template: Template;
  readonly created: Created;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly sqs: SQSClient;
  readonly streams: DynamoDBStreamsClient;
  /** A resource's properties, with all functions of CloudFormation resolved. */
  // biome-ignore lint/suspicious/noExplicitAny: properties as they come
  properties(id: string): any;
  /** The function that an ARN, or a name, is of. */
  functionOf(arnOrName: string): LambdaFunction;
  /** Notes it as a failure if a role, named by its ARN, may not do what a service needs to do in its name. */
  require(roleArn: string, permission: Permission): void;
  fail(problem: unknown): void;
}

export interface Deployment {
  readonly calls: readonly Call[];
  /** What went wrong, in words. */
  readonly failures: readonly string[];
  /** Events that the archive would have kept. */
  readonly archived: readonly unknown[];
  readonly schedules: Schedules;
  readonly endpoint: Pick<AwsEndpoint, 'failNext'>;
  functionWith(text: string): LambdaFunction;
  /** Messages in a queue: to be had, and delayed. */
  count(queueId: string): Promise<{ readonly visible: number; readonly delayed: number }>;
  /** Resolves once nothing is under way any more, or at the first failure. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const LOCAL = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export async function deploy({ assembly, template, engines, secrets }: DeployOptions): Promise<Deployment> {
  const calls: Call[] = [];
  const failures: string[] = [];
  let failed = (): void => {};
  const firstFailure = new Promise<void>((resolveFailure) => {
    failed = resolveFailure;
  });
  const fail = (problem: unknown): void => {
    failures.push(problem instanceof Error ? problem.message : String(problem));
    failed();
  };
  const directory = await mkdtemp(join(tmpdir(), 'returns-feed-stack-'));
  const dynamoDb = new DynamoDBClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const sqs = new SQSClient({ ...LOCAL, endpoint: engines.sqs });
  const streams = new DynamoDBStreamsClient({ ...LOCAL, endpoint: engines.dynamoDb });
  const bus = await startEventBusEngine({ region: REGION, onDeliveryError: fail });
  let endpoint: AwsEndpoint | undefined;
  const created = await createResources(template, { dynamoDb, sqs }, () => endpoint?.url ?? '');
  const { names } = created;
  const properties = (id: string) => resolve(template.Resources[id]?.Properties ?? {}, names);
  const statements = new Map<string, readonly Statement[]>();
  for (const [id] of resourcesOf(template, 'AWS::IAM::Role'))
    statements.set(names.attribute(id, 'Arn'), resolve(statementsOf(template, id), names));
  const mayDo = (roleArn: string, permission: Permission) =>
    allows(statements.get(roleArn) ?? [], permission);

  // A function's credentials are its logical id, which is all that tells who called.
  endpoint = await startAwsEndpoint({
    engines: { ...engines, bus: bus.endpoint },
    arns: {
      table: (name) => arnOf('dynamodb:table/', name),
      queue: (url) => arnOf('sqs:', new URL(url).pathname.split('/').at(-1) ?? ''),
      bus: (name) => arnOf('events:event-bus/', name),
      parameter: (name) => arnOf('ssm:parameter', name),
      secret: (id) => arnOf('secretsmanager:secret:', `${id}-x7Hk2Q`),
    },
    mayDo: (functionId, permission) => mayDo(properties(functionId).Role, permission),
    parameters: new Map(
      resourcesOf(template, 'AWS::SSM::Parameter').map(([id]) => {
        const { Name, Value } = properties(id);
        return [Name, Value];
      }),
    ),
    secrets,
    onCall(call) {
      calls.push(call);
      for (const { action, resource } of call.denied)
        fail(`${call.accessKeyId} is not allowed ${action} on ${resource}`);
    },
  });
  const functions = new Map<string, LambdaFunction>();
  for (const [id] of resourcesOf(template, 'AWS::Lambda::Function')) {
    const { Handler, Timeout = 3, Environment, Code } = properties(id);
    const lambda = startFunction({
      name: names.ref(id),
      codeDirectory:
        Code.ZipFile === undefined ? assembly.codeOf(Code.S3Key) : writeInlineCode(join(directory, id), Code.ZipFile),
      handler: Handler,
      timeoutMs: Timeout * 1_000,
      variables: Environment?.Variables ?? {},
      endpoint: endpoint.url,
      region: REGION,
      accessKeyId: id,
    });
    functions.set(id, lambda);
  }
  const world: World = {
    ...{ template, created, functions, sqs, streams, properties, fail },
    functionOf(arnOrName) {
      const found = [...functions].find(
        ([id, { name }]) => name === arnOrName || names.attribute(id, 'Arn') === arnOrName,
      );
      if (found === undefined) throw new Error(`There is no function ${arnOrName}.`);
      return found[1];
    },
    require(roleArn, permission) {
      if (!mayDo(roleArn, permission))
        fail(`${roleArn} is not allowed ${permission.action} on ${permission.resource}`);
    },
  };
  const archived: unknown[] = [];
  subscribeRules(world, bus.bus, archived);
  const mappings: EventSourceMapping[] = startEventSources(world);

  /** In the order of the flow: what a mapping hands on is in before the next is asked. */
  async function idle(): Promise<void> {
    for (const mapping of mappings) await mapping.idle();
    await bus.bus.idle();
  }

  return {
    ...{ calls, failures, archived, endpoint },
    schedules: createSchedules(world),
    functionWith(text) {
      const ids = [...functions.keys()].filter((id) => id.includes(text));
      const lambda = functions.get(ids[0] ?? '');
      if (lambda === undefined || ids.length > 1) throw new Error(`${ids.length} functions have ${text}.`);
      return lambda;
    },
    count: (queueId) => countMessages(world, queueId),
    settle: () => Promise.race([firstFailure, idle().catch(() => {})]),
    async stop() {
      await Promise.all(mappings.map((mapping) => mapping.stop()));
      await Promise.all([...functions.values()].map((lambda) => lambda.stop()));
      await Promise.all([endpoint?.stop(), bus.stop()]);
      for (const client of [dynamoDb, sqs, streams]) client.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function countMessages({ sqs, created }: World, queueId: string) {
  const QueueUrl = created.queueUrl(created.names.attribute(queueId, 'Arn'));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed),
  };
}
