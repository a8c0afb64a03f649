// The permissions that an operator's request needs, derived from the request on the wire: for services that functions
// use as well, and for services that only people use. An unknown request gives undefined, and counts as not allowed.
// https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html

import type { Permission } from '../infra/edges/policies.ts';
import { ACCOUNT, arnOf } from './create-resources.ts';
import { type Arns, neededPermissions } from './needed-permissions.ts';

export interface OperatorRequest {
  readonly method: string;
  readonly path: string;
  /** Set for services that have one, for instance `AmazonSQS.SendMessage`. */
  readonly target: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
  readonly body: any;
}

const ARNS: Arns = {
  table: (name) => arnOf('dynamodb:table/', name),
  queue: (url) => arnOf('sqs:', new URL(url).pathname.split('/').at(-1) ?? ''),
  bus: (name) => arnOf('events:event-bus/', name),
  parameter: (name) => arnOf('ssm:parameter', name),
  secret: (id) => (id.startsWith('arn:') ? id : arnOf('secretsmanager:secret:', `${id}-x7Hk2Q`)),
};

/** @param queuesInto ARNs of the queues with this dead-letter queue */
export function permissionsOf(
  request: OperatorRequest,
  queuesInto: (deadLetters: string) => readonly string[],
): Permission[] | undefined {
  const { target, body } = request;
  if (target === 'AmazonSQS.StartMessageMoveTask') return ofMoving(body, queuesInto);
  if (target === undefined) return body.Action === undefined ? ofPath(request) : ofAction(body);
  return neededPermissions(target, body, ARNS) ?? OF_TARGETS[target]?.(body);
}

function need(action: string, resource: string): Permission[] {
  return [{ action, resource }];
}

/**
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.ht
 * ml
 */
function ofMoving(
  { SourceArn, DestinationArn }: OperatorRequest['body'],
  queuesInto: (deadLetters: string) => readonly string[],
): Permission[] {
  const actions = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage', 'StartMessageMoveTask'];
  const goals = DestinationArn === undefined ? queuesInto(SourceArn) : [DestinationArn];
  return [
    ...actions.flatMap((it) => need(`sqs:${it}`, SourceArn)),
    ...goals.flatMap((it) => need('sqs:SendMessage', it)),
  ];
}

function ofQueue(operation: string) {
  return ({ QueueUrl }: OperatorRequest['body']) => need(`sqs:${operation}`, ARNS.queue(QueueUrl));
}

function ofSecret(operation: string) {
  return ({ SecretId }: OperatorRequest['body']) =>
    need(`secretsmanager:${operation}`, ARNS.secret(SecretId));
}

const OF_TARGETS: Readonly<Record<string, (body: OperatorRequest['body']) => Permission[]>> = {
  'AmazonSQS.DeleteMessage': ofQueue('DeleteMessage'),
  'AmazonSQS.GetQueueAttributes': ofQueue('GetQueueAttributes'),
  'AmazonSQS.GetQueueUrl': ({ QueueName, QueueOwnerAWSAccountId = ACCOUNT }) =>
    need('sqs:GetQueueUrl', arnOf('sqs:', QueueName).replace(`:${ACCOUNT}:`, `:${QueueOwnerAWSAccountId}:`)),
  'AmazonSQS.PurgeQueue': ofQueue('PurgeQueue'),
  'AmazonSQS.ReceiveMessage': ofQueue('ReceiveMessage'),
  'AmazonSSM.DeleteParameter': ({ Name }) => need('ssm:DeleteParameter', ARNS.parameter(Name)),
  'AmazonSSM.DescribeParameters': () => need('ssm:DescribeParameters', '*'),
  'AmazonSSM.GetParametersByPath': ({ Path }) => need('ssm:GetParametersByPath', ARNS.parameter(Path)),
  'AmazonSSM.PutParameter': ({ Name }) => need('ssm:PutParameter', ARNS.parameter(Name)),
  'DynamoDB_20120810.BatchWriteItem': ({ RequestItems }) =>
    Object.keys(RequestItems).flatMap((name) => need('dynamodb:BatchWriteItem', ARNS.table(name))),
  'GraniteServiceVersion20100801.DeleteAlarms': ({ AlarmNames }) =>
    AlarmNames.flatMap((name: string) => need('cloudwatch:DeleteAlarms', arnOf('cloudwatch:alarm:', name))),
  'GraniteServiceVersion20100801.DescribeAlarmsForMetric': () =>
    need('cloudwatch:DescribeAlarmsForMetric', '*'),
  'GraniteServiceVersion20100801.GetMetricData': () => need('cloudwatch:GetMetricData', '*'),
  'GraniteServiceVersion20100801.PutMetricAlarm': ({ AlarmName }) =>
    need('cloudwatch:PutMetricAlarm', arnOf('cloudwatch:alarm:', AlarmName)),
  'Logs_20140328.FilterLogEvents': ({ logGroupName }) =>
    need('logs:FilterLogEvents', `${arnOf('logs:log-group:', logGroupName)}:*`),
  'secretsmanager.DescribeSecret': ofSecret('DescribeSecret'),
  'secretsmanager.ListSecretVersionIds': ofSecret('ListSecretVersionIds'),
  'secretsmanager.PutSecretValue': ofSecret('PutSecretValue'),
};

/** The permissions for services with form-encoded requests. */
function ofAction(body: OperatorRequest['body']): Permission[] | undefined {
  const { Action, StackName } = body;
  if (Action === 'DescribeStacks' || Action === 'ListStackResources')
    return need(`cloudformation:${Action}`, arnOf('cloudformation:stack/', `${StackName}/1`));
  if (Action === 'ListSubscriptionsByTopic') return need('sns:ListSubscriptionsByTopic', body.TopicArn);
  return neededPermissions(`AmazonSNS.${Action}`, body, ARNS);
}

/** The permissions for services with REST requests. */
function ofPath({ method, path, body }: OperatorRequest): Permission[] | undefined {
  const [, invoked] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (invoked !== undefined)
    return need('lambda:InvokeFunction', arnOf('lambda:function:', decodeURIComponent(invoked)));
  const url = new URL(path, 'http://scheduler');
  const [, room, name] = url.pathname.split('/');
  if (room !== 'schedules') return undefined;
  if (name === undefined) return need('scheduler:ListSchedules', '*');
  const group = url.searchParams.get('groupName') ?? body.GroupName;
  const action = { GET: 'Get', POST: 'Create', PUT: 'Update', DELETE: 'Delete' }[method];
  const onSchedule = need(`scheduler:${action}Schedule`, arnOf('scheduler:schedule/', `${group}/${name}`));
  const role = body?.Target?.RoleArn;
  return role === undefined ? onSchedule : [...onSchedule, ...need('iam:PassRole', role)];
}
