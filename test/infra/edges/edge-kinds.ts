// References from one resource to another, by the resource's type and the path in its properties, each with the calls that
// AWS's services make for it, or the reason for none. An unlisted path fails the test, so that no new kind of edge is
// forgotten.

import {
  consumeQueue,
  publishToTopic,
  readStream,
  sendToQueue,
  takeRole,
  useKey,
} from './calls-of-services.ts';
import type { Call } from './judge-call.ts';
import type { Context } from './policies.ts';
import { ACCOUNT, type Account, type AccountResource, REGION } from './read-account.ts';

/** A place in a resource's properties that names another resource. */
export interface Reference {
  readonly account: Account;
  readonly resource: AccountResource;
  /** The named resource, usually as an ARN. */
  readonly value: string;
  /** The object that contains the place, resolved. */
  // biome-ignore lint/suspicious/noExplicitAny: properties as they come
  readonly around: any;
}

/** The calls that AWS must allow, or the reason for none. */
type Needs = readonly Call[] | string;
type Rule = (reference: Reference) => Needs;

/** Not an edge: the reference causes no calls. */
const none = (_why: string): undefined => undefined;

const EVENTS = { service: 'events.amazonaws.com' } as const;
const SNS = { service: 'sns.amazonaws.com' } as const;
const POLICY = none('a policy: the criterion for edges');

/** By type and path (`[]` for a place in a list, `*` for everything below). Undefined: no edge. */
export const EDGE_KINDS: Readonly<Record<string, Readonly<Record<string, Rule | undefined>>>> = {
  'Custom::DeclaredSources': {
    ServiceToken: () => 'CloudFormation invokes it with the rights of the deployment',
    Bucket: none('an asset'),
    'Values.*': none('names in entries'),
  },
  'AWS::CloudWatch::Alarm': {
    'AlarmActions[]': alarmAction,
    'OKActions[]': alarmAction,
    'InsufficientDataActions[]': alarmAction,
    'Dimensions[].Value': none('a name in a metric'),
    'Metrics[].*': none('names in metrics'),
  },
  'AWS::CloudWatch::Dashboard': { DashboardBody: none('names in metrics') },
  'AWS::DynamoDB::Table': {
    'SSESpecification.KMSMasterKeyId': none("used in the callers' names"),
  },
  'AWS::Events::Archive': {
    SourceArn: () => 'EventBridge needs no permission within one account',
    KmsKeyIdentifier: archiveWithKey,
  },
  'AWS::Events::EventBus': {
    KmsKeyIdentifier: busWithKey,
    'DeadLetterConfig.Arn': deadLetterOfEventBridge,
  },
  'AWS::Events::Rule': {
    EventBusName: none('where the rule is'),
    'Targets[].Arn': ruleTarget,
    'Targets[].RoleArn': none('judged with the target'),
    'Targets[].DeadLetterConfig.Arn': deadLetterOfEventBridge,
  },
  'AWS::IAM::ManagedPolicy': { '*': POLICY },
  'AWS::IAM::Policy': { '*': POLICY },
  'AWS::IAM::Role': {
    'AssumeRolePolicyDocument.*': POLICY,
    'Policies[].*': POLICY,
    'ManagedPolicyArns[]': POLICY,
  },
  'AWS::KMS::Alias': { TargetKeyId: none('another name of the key') },
  'AWS::KMS::Key': { 'KeyPolicy.*': POLICY },
  'AWS::Lambda::Alias': {
    FunctionName: none('another name of the function'),
    FunctionVersion: none('as it is deployed'),
  },
  'AWS::Lambda::EventInvokeConfig': {
    FunctionName: none('what it belongs to'),
    'DestinationConfig.OnFailure.Destination': destinationOfFunction,
    'DestinationConfig.OnSuccess.Destination': destinationOfFunction,
  },
  'AWS::Lambda::EventSourceMapping': {
    EventSourceArn: eventSource,
    FunctionName: none('what it belongs to'),
    'DestinationConfig.OnFailure.Destination': destinationOfFunction,
  },
  'AWS::Lambda::Function': {
    Role: ({ value }) => [takeRole('lambda.amazonaws.com', value)],
    'LoggingConfig.LogGroup': functionLog,
    'Code.*': none('an asset'),
    'Environment.Variables.*': none("names for the function's own calls"),
    'VpcConfig.SecurityGroupIds[]': functionInNetwork,
    'VpcConfig.SubnetIds[]': none('judged with the security groups'),
  },
  'AWS::Lambda::Permission': { '*': POLICY },
  'AWS::Lambda::Url': { TargetFunctionArn: functionUrl },
  'AWS::Logs::LogGroup': {
    LogGroupName: none('its name'),
    KmsKeyId: logGroupWithKey,
  },
  'AWS::SNS::Subscription': {
    TopicArn: subscription,
    Endpoint: none('judged with the topic'),
    'RedrivePolicy.deadLetterTargetArn': deadLetterOfSubscription,
  },
  'AWS::SNS::Topic': { KmsMasterKeyId: none("used in the publishers' names") },
  'AWS::SNS::TopicPolicy': { '*': POLICY },
  'AWS::SQS::Queue': {
    KmsMasterKeyId: none("used in the senders' and receivers' names"),
    'RedrivePolicy.deadLetterTargetArn': redrive,
  },
  'AWS::SQS::QueuePolicy': { '*': POLICY },
  'AWS::SecretsManager::Secret': { KmsKeyId: none("used in the readers' names") },
  'AWS::SSM::Parameter': { '*': none("names for the functions' own calls") },
  'AWS::Scheduler::Schedule': {
    GroupName: none('where the schedule is'),
    'Target.Arn': scheduleTarget,
    'Target.RoleArn': none('judged with the target'),
    'Target.DeadLetterConfig.Arn': ({ account, resource, value }) => {
      const role = resource.resolve(resource.properties.Target.RoleArn);
      return sendToQueue(account, { role }, value);
    },
    'Target.Input': none('what is sent'),
  },
  'AWS::StepFunctions::StateMachine': {
    RoleArn: ({ resource, value }) => [takeRole('states.amazonaws.com', value, sourceOf(resource.arn))],
    DefinitionString: none("the state machine's own calls"),
    'LoggingConfiguration.Destinations[].CloudWatchLogsLogGroup.LogGroupArn': stateMachineLog,
  },
};

/** The condition keys of the resource that a service acts for. */
function sourceOf(arn: string): Context {
  return { 'aws:SourceAccount': ACCOUNT, 'aws:SourceArn': arn };
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html */
function alarmAction({ account, resource, value }: Reference): Needs {
  if (!value.startsWith('arn:aws:sns:')) return unknownTarget('an alarm', value);
  return publishToTopic(account, { service: 'cloudwatch.amazonaws.com' }, value, sourceOf(resource.arn));
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html */
function busWithKey({ resource, value }: Reference): Needs {
  const context = { 'kms:EncryptionContext:aws:events:event-bus:arn': resource.arn };
  return [
    ...useKey(EVENTS, value, ['kms:Decrypt', 'kms:GenerateDataKey'], {
      ...sourceOf(resource.arn),
      ...context,
    }),
    ...useKey(EVENTS, value, ['kms:DescribeKey'], sourceOf(resource.arn)),
  ];
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/encryption-archives.html */
function archiveWithKey({ resource, value }: Reference): Needs {
  const actions = ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];
  const bus = resource.resolve(resource.properties.SourceArn);
  return [
    ...useKey(EVENTS, value, actions, { 'kms:EncryptionContext:aws:events:event-bus:arn': bus }),
    // DescribeKey has no encryption context.
    ...useKey(EVENTS, value, ['kms:DescribeKey'], {}),
  ];
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html */
function deadLetterOfEventBridge({ account, resource, value }: Reference): Needs {
  return sendToQueue(account, EVENTS, value, sourceOf(resource.arn));
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html */
function ruleTarget({ account, resource, value, around }: Reference): Needs {
  switch (value.split(':')[2]) {
    case 'lambda':
      // EventBridge's call has no SourceAccount, so a permission with that condition would not allow it.
      return [
        {
          ...{ caller: EVENTS, action: 'lambda:InvokeFunction', resource: value },
          context: { 'aws:SourceArn': resource.arn },
        },
      ];
    case 'sqs':
      return sendToQueue(account, EVENTS, value, sourceOf(resource.arn));
    case 'sns':
      return publishToTopic(account, EVENTS, value, {});
    case 'events':
      return byRole('events:PutEvents', value, around.RoleArn);
    case 'states':
      return byRole('states:StartExecution', value, around.RoleArn);
    default:
      return unknownTarget('a rule', value);
  }
}

function byRole(action: string, resource: string, role: string): Needs {
  return [takeRole('events.amazonaws.com', role), { caller: { role }, action, resource }];
}

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html */
function scheduleTarget({ account, resource, value, around: { RoleArn: role } }: Reference): Needs {
  const group = resource.resolve(resource.properties.GroupName) ?? 'default';
  const taken = takeRole('scheduler.amazonaws.com', role, {
    ...sourceOf(`arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule-group/${group}`),
  });
  switch (value.split(':')[2]) {
    case 'lambda':
      return [taken, { caller: { role }, action: 'lambda:InvokeFunction', resource: value }];
    case 'sqs':
      return [taken, ...sendToQueue(account, { role }, value)];
    default:
      return unknownTarget('a schedule', value);
  }
}

/** Lambda calls it with the function's role. https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
function destinationOfFunction(reference: Reference): Needs {
  const { account, value } = reference;
  if (!value.startsWith('arn:aws:sqs:')) return unknownTarget('a function that fails', value);
  return sendToQueue(account, { role: roleOfFunction(reference) }, value);
}

function eventSource(reference: Reference): Needs {
  const { account, value } = reference;
  const caller = { role: roleOfFunction(reference) };
  const service = value.split(':')[2];
  if (service === 'sqs') return consumeQueue(account, caller, value);
  if (service === 'dynamodb') return readStream(account, caller, value);
  return unknownTarget('an event source mapping', value);
}

function roleOfFunction({ account, resource }: Reference): string {
  const name = resource.resolve(resource.properties.FunctionName);
  const arn = name.startsWith('arn:') ? name : `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
  const fn = account.find(arn) ?? unknownTarget('a role', arn);
  return fn.resolve(fn.properties.Role);
}

function functionLog({ resource, value }: Reference): Needs {
  const role = resource.resolve(resource.properties.Role);
  const stream = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${value}:log-stream:2026/11/22/x`;
  return ['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => ({
    ...{ caller: { role }, action, resource: stream },
  }));
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions */
function functionInNetwork({ resource }: Reference): Needs {
  const role = resource.resolve(resource.properties.Role);
  const interfaces = ['CreateNetworkInterface', 'DeleteNetworkInterface', 'DescribeNetworkInterfaces'];
  const others = ['AssignPrivateIpAddresses', 'DescribeSubnets', 'UnassignPrivateIpAddresses'];
  return [...interfaces, ...others].map((action) => ({
    ...{ caller: { role }, action: `ec2:${action}`, resource: '*' },
  }));
}

/** Of anyone: the function itself checks tokens. https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html */
function functionUrl({ resource, value }: Reference): Needs {
  const { AuthType } = resource.properties;
  const anyone = { caller: { service: 'anyone' }, resource: value };
  return [
    {
      ...{ ...anyone, action: 'lambda:InvokeFunctionUrl' },
      context: { 'lambda:FunctionUrlAuthType': AuthType },
    },
    { ...anyone, action: 'lambda:InvokeFunction', context: { 'lambda:InvokedViaFunctionUrl': 'true' } },
  ];
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html */
function logGroupWithKey({ resource, value }: Reference): Needs {
  const context = { 'kms:EncryptionContext:aws:logs:arn': resource.arn };
  const actions = [
    'kms:Encrypt',
    'kms:Decrypt',
    'kms:GenerateDataKey',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ];
  const caller = { service: `logs.${REGION}.amazonaws.com` };
  return [...useKey(caller, value, actions, context), ...useKey(caller, value, ['kms:DescribeKey'], {})];
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html */
function stateMachineLog({ resource }: Reference): Needs {
  const role = resource.resolve(resource.properties.RoleArn);
  const deliveries = ['CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery'];
  const actions = [
    ...deliveries,
    'ListLogDeliveries',
    'PutResourcePolicy',
    'DescribeResourcePolicies',
    'DescribeLogGroups',
  ];
  return actions.map((action) => ({ caller: { role }, action: `logs:${action}`, resource: '*' }));
}

/** https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html */
function subscription({ account, value, around: { Protocol, Endpoint } }: Reference): Needs {
  switch (Protocol) {
    case 'email':
      return 'the recipient confirms the address by a link';
    case 'sqs':
      return sendToQueue(account, SNS, Endpoint, sourceOf(value));
    default:
      return unknownTarget(`a subscription by ${Protocol}`, Endpoint);
  }
}

/** https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html */
function deadLetterOfSubscription({ account, resource, value }: Reference): Needs {
  const topic = resource.resolve(resource.properties.TopicArn);
  const queue = resource.resolve(resource.properties.Endpoint);
  const ownDeadLetters = account.find(queue)?.properties.RedrivePolicy?.deadLetterTargetArn;
  if (resource.resolve(ownDeadLetters) === value)
    throw new Error(`${resource.path} and its queue share a dead-letter queue: one fault would break both.`);
  for (const it of [queue, value])
    if (isFifo(account, it) !== isFifo(account, topic))
      throw new Error(
        `${resource.path}: a FIFO topic needs FIFO queues, and only a FIFO topic may have them.`,
      );
  return sendToQueue(account, SNS, value, sourceOf(topic));
}

/** SQS moves messages itself; both queues must be of one kind. */
function redrive({ account, resource, value }: Reference): Needs {
  if (isFifo(account, value) !== isFifo(account, resource.arn))
    throw new Error(`${resource.path} and its dead-letter queue are not both FIFO queues.`);
  return 'SQS needs no permission within one account';
}

function isFifo(account: Account, arn: string): boolean {
  const { FifoQueue, FifoTopic } = account.find(arn)?.properties ?? {};
  return (FifoQueue ?? FifoTopic) === true;
}

function unknownTarget(from: string, value: string): never {
  throw new Error(`Unknown needs of ${from} for ${value}: add them to edge-kinds.ts.`);
}
