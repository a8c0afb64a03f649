// A feed with the resources of the template, on the engines of this machine, for an operator's commands: its tables,
// queues and outputs, a source that has polled, and the other AWS services that commands use.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbEndpointTests } from '../../functions/adapters/dynamodb-endpoint-tests.ts';
import { createDynamoDbSourceDirectory } from '../../functions/adapters/dynamodb-source-directory.ts';
import { hastyClock, type Stores, storesOn } from '../contract/stores.ts';
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import { type KmsEngine, startKmsEngine } from '../engines/kms-engine.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import { REGION } from '../infra/edges/read-account.ts';
import { type Names, resolve } from '../infra/resolve-intrinsics.ts';
import { idOf, resourcesOf, type Template } from '../infra/template.ts';
import { startFakeAws } from '../local/commands/fake-aws.ts';
import { createResources } from './create-resources.ts';
import { type OperatorEndpoint, type Served, startOperatorEndpoint } from './operator-endpoint.ts';
import type { OperatorRequest } from './operator-permissions.ts';
import type { DeployedParts } from './resources-called.ts';
import { UNFOUND } from './use-console.ts';

export interface DeployedFeed extends DeployedParts {
  readonly endpoint: OperatorEndpoint;
  readonly template: Template;
  readonly names: Names;
  readonly stores: Omit<Stores, 'close'>;
  /** The address of the engine of queues and topics. */
  readonly engines: { readonly sqs: string };
  /** Bypasses the operator's permissions. */
  readonly tablesClient: DynamoDBClient;
  /** Makes the stack lack parts, like a stack of an earlier release. Without arguments, it lacks none. */
  resemble(...lacks: readonly Lack[]): void;
  /** Resets each signing secret to the state before any rotation. */
  forgetRotations(): void;
  close(): Promise<void>;
}

/** A part that stacks of earlier releases lack. */
export type Lack = 'the output PollerFunction' | 'the alias' | 'the index';

export interface DeployedTemplate extends Template {
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * @param name of the stack
 * @param answerQuestion the poller's answer to an operator's question; by default it knows the group of situations.ts
 */
export async function deployFeed(
  name: string,
  template: DeployedTemplate,
  answerQuestion: (find: unknown) => unknown = answerOf,
): Promise<DeployedFeed> {
  const [dynamoDb, sqs, bus, aws] = await Promise.all([
    startDynamoDbEngine(),
    startSqsEngine(),
    startEventBusEngine({ region: REGION }),
    startFakeAws(),
  ]);
  const tablesClient = client(DynamoDBClient, dynamoDb.endpoint);
  const queuesClient = client(SQSClient, sqs.endpoint);
  const topicsClient = client(SNSClient, sqs.endpoint);
  let outputs: Readonly<Record<string, string>> = {};
  let keys: KmsEngine | undefined;
  let lacks: readonly Lack[] = [];
  const functions = new Set<string>();
  const intoQueues = new Map<string, string[]>();
  const queuesInto = (deadLetters: string) => intoQueues.get(deadLetters) ?? [];
  const endpoint = await startOperatorEndpoint({
    queuesInto,
    answer(request) {
      const { target, path, body } = request;
      if (body.Action === 'DescribeStacks')
        return body.StackName === name ? describeStack(outputs, lacks) : noSuchStack(body.StackName);
      if (body.Action === 'ListStackResources') return listResources(template, names);
      if (body.Action !== undefined) return sqs.endpoint;
      if (path.endsWith('/invocations'))
        return invoke(lacks.includes('the alias') ? new Set() : functions, request, answerQuestion);
      if (lacks.includes('the index') && body.IndexName === 'behind') return NO_INDEX;
      if (target === 'AmazonSQS.StartMessageMoveTask') return moveMessages(queuesInto(body.SourceArn));
      noteTest(body.MessageBody);
      switch (target?.split('.')[0]) {
        case 'DynamoDB_20120810':
          return dynamoDb.endpoint;
        case 'AmazonSQS':
          return sqs.endpoint;
        case 'AWSEvents':
          return bus.endpoint;
        case 'TrentService':
          return keys?.endpoint ?? aws.url;
        case 'Logs_20140328':
          return json({ events: [] });
        default:
          return aws.url;
      }
    },
  });
  /** Stands in for the webhook's sender, which receives the message in AWS. */
  function noteTest(message: string | undefined): void {
    const { test: id } = JSON.parse(message ?? '{}');
    if (id === undefined) return;
    const tests = createDynamoDbEndpointTests({
      client: tablesClient,
      tables: { marks: outputs.MarksTable ?? '' },
    });
    void tests.save('Wms', { id, answer: { status: 204, retryAfter: undefined, requestMs: 12 } });
  }

  const names: Names = await createResources(
    template,
    { dynamoDb: tablesClient, sqs: queuesClient, sns: topicsClient },
    () => endpoint.url,
  );
  for (const [id] of resourcesOf(template, 'AWS::Lambda::Function')) functions.add(names.ref(id));
  for (const [id, { Properties }] of resourcesOf(template, 'AWS::SQS::Queue')) {
    const into = resolve(Properties.RedrivePolicy?.deadLetterTargetArn, names);
    if (into !== undefined) intoQueues.set(into, [...queuesInto(into), names.attribute(id, 'Arn')]);
  }
  for (const [, { Properties }] of resourcesOf(template, 'AWS::SNS::Subscription')) {
    const { TopicArn, Protocol, Endpoint } = resolve(Properties, names);
    await topicsClient.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint }));
  }
  outputs = Object.fromEntries(
    Object.entries(template.Outputs).map(([id, { Value }]) => [id, resolve(Value, names)]),
  );
  const { SnapshotsTable = '', LedgerTable = '', MarksTable = '', SourcesTable = '' } = outputs;
  const stores = storesOn(tablesClient, {
    ...{ snapshots: SnapshotsTable, ledger: LedgerTable, marks: MarksTable, sources: SourcesTable },
  });
  seed(aws, template, names);
  keys = await startKmsEngine(outputs.TokenKey);
  await declareSource(tablesClient, SourcesTable);
  return {
    ...{ endpoint, template, names, outputs, stores, tablesClient, engines: { sqs: sqs.endpoint } },
    refOf: (type, text) => names.ref(idOf(template, type, text)),
    arnsOf: (type, pattern) =>
      resourcesOf(template, type).flatMap(([id]) => (pattern.test(id) ? [names.attribute(id, 'Arn')] : [])),
    resemble(...lacking) {
      lacks = lacking;
    },
    forgetRotations() {
      for (const [id, versions] of aws.versions) aws.versions.set(id, versions.slice(-1));
    },
    async close() {
      for (const it of [tablesClient, queuesClient, topicsClient]) it.destroy();
      await endpoint.close();
      aws.close();
      await Promise.all([dynamoDb.stop(), sqs.stop(), bus.stop(), keys?.stop()]);
    },
  };
}

/** Writes the entry of the source that has polled, as the stack does. */
async function declareSource(client: DynamoDBClient, sources: string): Promise<void> {
  const directory = createDynamoDbSourceDirectory({ client, tables: { sources }, clock: hastyClock });
  const given = {
    settings: { name: 'acme', baseUrl: 'https://acme.example.com' },
    token: { secretId: 'acme' },
  };
  await directory.save({ name: 'acme', declaredBy: 'stack', isPaused: false, given }, 0);
}

/** Adds the template's resources that no engine creates. */
function seed(
  { parameters, versions }: Awaited<ReturnType<typeof startFakeAws>>,
  template: Template,
  names: Names,
): void {
  for (const [id] of resourcesOf(template, 'AWS::SecretsManager::Secret'))
    versions.set(names.ref(id), [{ text: 'A'.repeat(64), createdAt: 0 }]);
  for (const [, { Properties }] of resourcesOf(template, 'AWS::SSM::Parameter')) {
    const { Name, Type, Value } = resolve(Properties, names);
    parameters.set(Name, { Name, Type, Value });
  }
}

function client<It>(Client: new (options: object) => It, endpoint: string): It {
  return new Client({ endpoint, region: REGION, credentials: CREDENTIALS, useQueueUrlAsEndpoint: false });
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html */
const NO_INDEX: Served = {
  ...json({
    __type: 'com.amazon.coral.validate#ValidationException',
    message: 'The table does not have the specified index: behind',
  }),
  status: 400,
};

function describeStack(outputs: Readonly<Record<string, string>>, lacks: readonly Lack[]): Served {
  const members = Object.entries(outputs)
    .filter(([key]) => !lacks.includes(`the output ${key}` as Lack))
    .map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    )
    .join('');
  return xml(
    200,
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members}</Outputs></member></Stacks>` +
      '</DescribeStacksResult></DescribeStacksResponse>',
  );
}

function listResources(template: Template, names: Names): Served {
  const members = Object.entries(template.Resources)
    .map(
      ([id, { Type }]) =>
        `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${names.ref(id)}</PhysicalResourceId>` +
        `<ResourceType>${Type}</ResourceType></member>`,
    )
    .join('');
  return xml(
    200,
    `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members}` +
      '</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>',
  );
}

function noSuchStack(name: string): Served {
  const message = `Stack with id ${name} does not exist`;
  return xml(
    400,
    `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
}

async function invoke(
  functions: ReadonlySet<string>,
  { path, body }: OperatorRequest,
  answerQuestion: (find: unknown) => unknown,
): Promise<Served> {
  const [name = '', alias] = decodeURIComponent(path.split('/').at(-2) ?? '').split(':');
  if (functions.has(name) && alias !== undefined) return json(await answerQuestion(body.find));
  if (functions.has(name)) return { status: 202, type: 'application/json', body: '' };
  const error = 'ResourceNotFoundException';
  return { ...json({ message: `Function not found: ${name}` }), status: 404, error };
}

// biome-ignore lint/suspicious/noExplicitAny: a question
function answerOf(find: any): unknown {
  if ('group' in find) return { present: { kind: 'absent', sentAt: 0, receivedAt: 0, settleMs: 0 } };
  const isKnown = find.source === 'acme' && !Object.values(find).includes(UNFOUND);
  return { found: { exact: isKnown ? [184_467] : [], similar: [], isWhole: true } };
}

/** Answers StartMessageMoveTask, which the engine does not have: an error unless the queue is a dead-letter queue. */
function moveMessages(goals: readonly string[]): Served {
  if (goals.length > 0) return json({ TaskHandle: 'moving' });
  const __type = 'com.amazonaws.sqs#InvalidParameterValue';
  return { ...json({ __type, message: "It is nobody's dead-letter queue." }), status: 400 };
}

function json(content: unknown): Served {
  return { status: 200, type: 'application/x-amz-json-1.1', body: JSON.stringify(content) };
}

function xml(status: number, body: string): Served {
  return { status, type: 'text/xml', body };
}
