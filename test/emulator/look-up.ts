// Looks up each resource of a stack at its service, by CloudFormation's physical id. The result has everything that
// other resources need: the value of a Ref, the ARN, and a short description for people.
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeArchiveCommand,
  DescribeEventBusCommand,
  EventBridgeClient,
} from '@aws-sdk/client-eventbridge';
import { GetRoleCommand, GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  GetAliasCommand,
  GetEventSourceMappingCommand,
  GetFunctionCommand,
  GetFunctionEventInvokeConfigCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetScheduleCommand, GetScheduleGroupCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { DescribeStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import {
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

/** A resource of the template, with resolved properties. */
export interface Wanted {
  readonly type: string;
  /** Empty if CloudFormation does not report it. */
  readonly physicalId: string;
  // biome-ignore lint/suspicious/noExplicitAny: properties as they come
  readonly properties: any;
}

export interface Found {
  /** The value of `Ref`. @default the physical id */
  readonly ref?: string | undefined;
  readonly arn?: string | undefined;
  readonly streamArn?: string | undefined;
  readonly words: string;
}

/** @throws if the service does not have it */
export function lookUp(wanted: Wanted): Promise<Found> {
  const ask = QUESTIONS[wanted.type];
  if (ask === undefined) throw new Error(`Unknown type ${wanted.type}: add its look-up to look-up.ts.`);
  return ask(wanted);
}

const QUESTIONS: Readonly<Record<string, (wanted: Wanted) => Promise<Found>>> = {
  'AWS::CloudWatch::Alarm': async ({ physicalId }) => {
    const { MetricAlarms = [] } = await new CloudWatchClient().send(
      new DescribeAlarmsCommand({ AlarmNames: [physicalId] }),
    );
    const alarm = MetricAlarms[0] ?? missing(physicalId);
    return { words: `${alarm.MetricName} of ${alarm.Namespace} at ${alarm.Threshold}` };
  },
  'AWS::DynamoDB::Table': async ({ physicalId: TableName }) => {
    const client = new DynamoDBClient();
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    const keys = Table?.KeySchema?.map(({ AttributeName }) => AttributeName).join(', ');
    const indexes =
      Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => `, index ${IndexName}`).join('') ?? '';
    const stream = Table?.StreamSpecification?.StreamViewType;
    const expires = TimeToLiveDescription?.AttributeName;
    return {
      arn: Table?.TableArn,
      streamArn: Table?.LatestStreamArn,
      words: `keys ${keys}${indexes}${stream ? `, stream ${stream}` : ''}${expires ? `, expires ${expires}` : ''}`,
    };
  },
  'AWS::Events::Archive': async ({ physicalId: ArchiveName }) => {
    const archive = await new EventBridgeClient().send(new DescribeArchiveCommand({ ArchiveName }));
    return { words: `${archive.RetentionDays} days of ${archive.EventSourceArn?.split('/').at(-1)}` };
  },
  'AWS::Events::EventBus': async ({ properties: { Name } }) => {
    const bus = await new EventBridgeClient().send(new DescribeEventBusCommand({ Name }));
    return { ref: bus.Name, arn: bus.Arn, words: `${bus.Name}` };
  },
  'AWS::IAM::Policy': async ({ properties: { PolicyName, Roles } }) => {
    const command = new GetRolePolicyCommand({ RoleName: Roles[0], PolicyName });
    const { PolicyDocument = '' } = await new IAMClient().send(command);
    const { Statement } = JSON.parse(decodeURIComponent(PolicyDocument));
    return { words: `${Statement.length} statements for ${Roles[0]}` };
  },
  'AWS::IAM::Role': async ({ physicalId: RoleName }) => {
    const { Role } = await new IAMClient().send(new GetRoleCommand({ RoleName }));
    const { Statement } = JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? ''));
    return { arn: Role?.Arn, words: `for ${Statement[0].Principal.Service}` };
  },
  'AWS::Lambda::Alias': async ({ properties: { FunctionName, Name } }) => {
    const alias = await new LambdaClient().send(new GetAliasCommand({ FunctionName, Name }));
    return { words: `${alias.Name} of ${alias.FunctionVersion}` };
  },
  'AWS::Lambda::EventInvokeConfig': async ({ properties: { FunctionName } }) => {
    const config = await new LambdaClient().send(new GetFunctionEventInvokeConfigCommand({ FunctionName }));
    const failed = config.DestinationConfig?.OnFailure?.Destination?.split(':').at(-1);
    return { words: `${config.MaximumRetryAttempts} retries, then ${failed}` };
  },
  'AWS::Lambda::EventSourceMapping': async ({ physicalId: UUID }) => {
    const mapping = await new LambdaClient().send(new GetEventSourceMappingCommand({ UUID }));
    const from = mapping.EventSourceArn?.split(':')[2];
    return { words: `${from} to ${mapping.FunctionArn?.split(':')[6]}, ${mapping.BatchSize} at once` };
  },
  'AWS::Lambda::Function': async ({ physicalId: FunctionName }) => {
    const { Configuration } = await new LambdaClient().send(new GetFunctionCommand({ FunctionName }));
    const { Handler, Runtime, Architectures, CodeSize } = Configuration ?? {};
    return {
      arn: Configuration?.FunctionArn,
      words: `${Handler} on ${Runtime}, ${Architectures}, ${CodeSize} bytes`,
    };
  },
  'AWS::Logs::LogGroup': async ({ physicalId }) => {
    const command = new DescribeLogGroupsCommand({ logGroupNamePrefix: physicalId });
    const { logGroups = [] } = await new CloudWatchLogsClient().send(command);
    const group = logGroups[0] ?? missing(physicalId);
    return { arn: group.arn, words: `${group.retentionInDays ?? 'no'} days` };
  },
  'AWS::SNS::Subscription': async ({ properties: { TopicArn, Endpoint } }) => {
    const SubscriptionArn =
      (await subscriptionOf(TopicArn, Endpoint)) ?? missing(`subscription of ${Endpoint}`);
    const command = new GetSubscriptionAttributesCommand({ SubscriptionArn });
    const { Attributes = {} } = await new SNSClient().send(command);
    const queue = Endpoint.split(':').at(-1);
    return { words: `to ${queue}, filter ${Attributes.FilterPolicy?.slice(0, 60) ?? 'none'}` };
  },
  'AWS::SNS::Topic': async ({ physicalId: TopicArn }) => {
    const { Attributes = {} } = await new SNSClient().send(new GetTopicAttributesCommand({ TopicArn }));
    return { arn: TopicArn, words: `${Attributes.FifoTopic === 'true' ? 'FIFO' : 'standard'}` };
  },
  'AWS::SNS::TopicPolicy': async ({ properties: { Topics } }) => {
    const [TopicArn] = Topics;
    const { Attributes = {} } = await new SNSClient().send(new GetTopicAttributesCommand({ TopicArn }));
    const { Statement } = JSON.parse(Attributes.Policy ?? missing(`policy of ${TopicArn}`));
    return { words: `${Statement[0].Effect} ${JSON.stringify(Statement[0].Condition)}` };
  },
  'AWS::SQS::Queue': async ({ physicalId: QueueUrl }) => {
    const { Attributes } = await new SQSClient({ useQueueUrlAsEndpoint: false }).send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    const redrive = JSON.parse(Attributes?.RedrivePolicy ?? '{}')
      .deadLetterTargetArn?.split(':')
      .at(-1);
    const fifo = Attributes?.FifoQueue === 'true' ? 'FIFO' : 'standard';
    return { arn: Attributes?.QueueArn, words: redrive ? `${fifo}, dead letters to ${redrive}` : fifo };
  },
  'AWS::SQS::QueuePolicy': async ({ properties: { Queues } }) => {
    const { Attributes } = await new SQSClient({ useQueueUrlAsEndpoint: false }).send(
      new GetQueueAttributesCommand({ QueueUrl: Queues[0], AttributeNames: ['Policy'] }),
    );
    const { Statement } = JSON.parse(Attributes?.Policy ?? missing(`policy of ${Queues[0]}`));
    return { words: `${Statement[0].Effect} ${JSON.stringify(Statement[0].Condition)}` };
  },
  'AWS::SSM::Parameter': async ({ physicalId: Name }) => {
    const { Parameter } = await new SSMClient().send(new GetParameterCommand({ Name }));
    return { words: `${Parameter?.Value?.slice(0, 60)} …` };
  },
  'AWS::Scheduler::Schedule': async ({ physicalId: Name, properties: { GroupName } }) => {
    const schedule = await new SchedulerClient().send(new GetScheduleCommand({ Name, GroupName }));
    return { words: `${schedule.ScheduleExpression} to ${schedule.Target?.Arn?.split(':').at(-1)}` };
  },
  'AWS::Scheduler::ScheduleGroup': async ({ properties: { Name } }) => {
    const group = await new SchedulerClient().send(new GetScheduleGroupCommand({ Name }));
    return { ref: group.Name, arn: group.Arn, words: `${group.State}` };
  },
  'AWS::StepFunctions::StateMachine': async ({ physicalId: stateMachineArn }) => {
    const command = new DescribeStateMachineCommand({ stateMachineArn });
    const { name, definition = '{}' } = await new SFNClient().send(command);
    const states = Object.keys(JSON.parse(definition).States ?? {});
    return { ref: stateMachineArn, arn: stateMachineArn, words: `${name}: ${states.length} states` };
  },
};

/** The ARN of the subscription of a queue. */
export async function subscriptionOf(TopicArn: string, endpoint: string): Promise<string | undefined> {
  const { Subscriptions = [] } = await new SNSClient().send(
    new ListSubscriptionsByTopicCommand({ TopicArn }),
  );
  return Subscriptions.find(({ Endpoint }) => Endpoint === endpoint)?.SubscriptionArn;
}

function missing(what: string): never {
  throw new Error(`There is no ${what}.`);
}
