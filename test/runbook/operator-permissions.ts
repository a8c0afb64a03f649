// The permissions that an operator's request needs, each with its resource, derived from the request on the wire. Most
// actions have the operation's name, and the request names their one resource. An unknown request gives undefined, and
// counts as not allowed.
// https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html

import type { Permission } from '../infra/edges/policies.ts';
import { arn } from '../infra/edges/read-account.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

export interface OperatorRequest {
  readonly method: string;
  readonly path: string;
  /** Set for services that have one, for instance `AmazonSQS.SendMessage`. */
  readonly target: string | undefined;
  readonly body: Body;
}

/** ARNs of the queues with this dead-letter queue. */
type QueuesInto = (deadLetters: string) => readonly string[];

export function permissionsOf(request: OperatorRequest, queuesInto: QueuesInto): Permission[] | undefined {
  const { target, body } = request;
  if (target === undefined && body.Action === undefined) return ofPath(request);
  const [service = '', operation = ''] = target?.split('.') ?? [
    body.StackName === undefined ? 'AmazonSNS' : 'CloudFormation',
    body.Action,
  ];
  const action = `${NAMES[service]}:${OTHER_ACTIONS[operation] ?? operation}`;
  if (action === 'sqs:StartMessageMoveTask') return ofMoving(body, queuesInto);
  if (action === 'dynamodb:TransactWriteItems') return ofTransaction(body);
  if (action === 'dynamodb:BatchExecuteStatement') return ofStatements(body);
  const resources = RESOURCES_OF[service]?.(body) ?? (WITHOUT_RESOURCE.has(action) ? ['*'] : undefined);
  return resources?.map((resource) => ({ action, resource }));
}

/** The services' names in permissions. */
const NAMES: Readonly<Record<string, string>> = {
  AWSEvents: 'events',
  AmazonSNS: 'sns',
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  CloudFormation: 'cloudformation',
  DynamoDB_20120810: 'dynamodb',
  GraniteServiceVersion20100801: 'cloudwatch',
  Logs_20140328: 'logs',
  TrentService: 'kms',
  secretsmanager: 'secretsmanager',
};

/** The actions of operations that have another name. */
const OTHER_ACTIONS: Readonly<Record<string, string>> = {
  PublishBatch: 'Publish',
  SendMessageBatch: 'SendMessage',
};

/** AWS lets these name no resource. */
const WITHOUT_RESOURCE: ReadonlySet<string> = new Set(['cloudwatch:GetMetricData']);

const RESOURCES_OF: Readonly<Record<string, (body: Body) => readonly string[] | undefined>> = {
  AWSEvents: ({ Entries }) =>
    Entries?.map(({ EventBusName }: Body) => arn('events', `event-bus/${EventBusName}`)),
  AmazonSNS: ({ TopicArn }) => TopicArn && [TopicArn],
  AmazonSQS: ({ QueueUrl, QueueName }) => {
    const name = QueueName ?? (QueueUrl && new URL(QueueUrl).pathname.split('/').at(-1));
    return name && [arn('sqs', name)];
  },
  AmazonSSM: ({ Name, Path }) => (Name ?? Path) && [arn('ssm', `parameter${Name ?? Path}`)],
  CloudFormation: ({ StackName }) => [arn('cloudformation', `stack/${StackName}/1`)],
  DynamoDB_20120810: ({ TableName, IndexName, RequestItems }) => {
    const index = IndexName === undefined ? '' : `/index/${IndexName}`;
    const tables = TableName === undefined ? RequestItems && Object.keys(RequestItems) : [TableName];
    return tables?.map((name: string) => arn('dynamodb', `table/${name}${index}`));
  },
  Logs_20140328: ({ logGroupName }) => logGroupName && [arn('logs', `log-group:${logGroupName}:*`)],
  TrentService: ({ KeyId }) => KeyId && [KeyId],
  secretsmanager: ({ SecretId: id }) =>
    id && [id.startsWith('arn:') ? id : arn('secretsmanager', `secret:${id}-x7Hk2Q`)],
};

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html */
function ofMoving({ SourceArn, DestinationArn }: Body, queuesInto: QueuesInto): Permission[] {
  const actions = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage', 'StartMessageMoveTask'];
  const goals = DestinationArn === undefined ? queuesInto(SourceArn) : [DestinationArn];
  return [
    ...actions.map((it) => ({ action: `sqs:${it}`, resource: SourceArn })),
    ...goals.map((resource) => ({ action: 'sqs:SendMessage', resource })),
  ];
}

function ofTransaction({ TransactItems }: Body): Permission[] {
  return TransactItems.flatMap((item: Body) =>
    Object.entries(item).map(([kind, { TableName }]: [string, Body]) => ({
      action: `dynamodb:${kind}Item`,
      resource: arn('dynamodb', `table/${TableName}`),
    })),
  );
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html */
function ofStatements({ Statements }: Body): Permission[] | undefined {
  const tables: (string | undefined)[] = Statements.map(
    ({ Statement }: Body) => /^INSERT INTO "([^"]+)"/.exec(Statement)?.[1],
  );
  if (tables.includes(undefined)) return undefined;
  return [...new Set(tables)].map((table) => ({
    action: 'dynamodb:PartiQLInsert',
    resource: arn('dynamodb', `table/${table}`),
  }));
}

/** The permissions for services with REST requests. */
function ofPath({ path }: OperatorRequest): Permission[] | undefined {
  const [, invoked] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (invoked === undefined) return undefined;
  const resource = arn('lambda', `function:${decodeURIComponent(invoked)}`);
  return [{ action: 'lambda:InvokeFunction', resource }];
}
