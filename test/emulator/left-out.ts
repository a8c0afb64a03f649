// Creates and deletes the resources that an emulator's CloudFormation can't create, by the services' own APIs. The
// properties of the template have the same names there.
import { CloudWatchClient, DeleteAlarmsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { CreateArchiveCommand, DeleteArchiveCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import {
  CreateAliasCommand,
  DeleteAliasCommand,
  DeleteFunctionEventInvokeConfigCommand,
  LambdaClient,
  PutFunctionEventInvokeConfigCommand,
} from '@aws-sdk/client-lambda';
import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import {
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { subscriptionOf, type Wanted } from './look-up.ts';

interface Maker {
  /** The order of creation: lower first. */
  readonly order: number;
  readonly make: (wanted: Wanted) => Promise<unknown>;
  readonly remove: (wanted: Wanted) => Promise<unknown>;
}

const MAKERS: Readonly<Record<string, Maker>> = {
  'AWS::CloudWatch::Alarm': {
    order: 2,
    make: ({ physicalId: AlarmName, properties }) =>
      new CloudWatchClient().send(new PutMetricAlarmCommand({ AlarmName, ...properties })),
    remove: ({ physicalId }) =>
      new CloudWatchClient().send(new DeleteAlarmsCommand({ AlarmNames: [physicalId] })),
  },
  'AWS::Events::Archive': {
    order: 2,
    make({ physicalId: ArchiveName, properties }) {
      const { Description, EventPattern, RetentionDays, SourceArn } = properties;
      return new EventBridgeClient().send(
        new CreateArchiveCommand({
          ...{ ArchiveName, Description, RetentionDays, EventSourceArn: SourceArn },
          EventPattern: JSON.stringify(EventPattern),
        }),
      );
    },
    remove: ({ physicalId: ArchiveName }) =>
      new EventBridgeClient().send(new DeleteArchiveCommand({ ArchiveName })),
  },
  'AWS::Lambda::Alias': {
    order: 2,
    make: ({ properties }) => new LambdaClient().send(new CreateAliasCommand(properties)),
    remove: ({ properties: { FunctionName, Name } }) =>
      new LambdaClient().send(new DeleteAliasCommand({ FunctionName, Name })),
  },
  'AWS::Lambda::EventInvokeConfig': {
    order: 2,
    make: ({ properties }) => new LambdaClient().send(new PutFunctionEventInvokeConfigCommand(properties)),
    remove: ({ properties: { FunctionName, Qualifier } }) =>
      new LambdaClient().send(new DeleteFunctionEventInvokeConfigCommand({ FunctionName, Qualifier })),
  },
  'AWS::Scheduler::Schedule': {
    order: 2,
    make: ({ physicalId: Name, properties }) =>
      new SchedulerClient().send(new CreateScheduleCommand({ Name, ...properties })),
    remove: ({ physicalId: Name, properties: { GroupName } }) =>
      new SchedulerClient().send(new DeleteScheduleCommand({ Name, GroupName })),
  },
  'AWS::Scheduler::ScheduleGroup': {
    order: 1,
    make: ({ properties: { Name } }) => new SchedulerClient().send(new CreateScheduleGroupCommand({ Name })),
    remove: ({ properties: { Name } }) =>
      new SchedulerClient().send(new DeleteScheduleGroupCommand({ Name })),
  },
  'AWS::SNS::Subscription': {
    order: 3,
    make({ properties }) {
      const { TopicArn, Protocol, Endpoint, FilterPolicy, FilterPolicyScope, RedrivePolicy } = properties;
      return new SNSClient().send(
        new SubscribeCommand({
          ...{ TopicArn, Protocol, Endpoint },
          Attributes: {
            RawMessageDelivery: String(properties.RawMessageDelivery),
            RedrivePolicy: JSON.stringify(RedrivePolicy),
            ...(FilterPolicy && { FilterPolicy: JSON.stringify(FilterPolicy), FilterPolicyScope }),
          },
        }),
      );
    },
    async remove({ properties: { TopicArn, Endpoint } }) {
      const SubscriptionArn = await subscriptionOf(TopicArn, Endpoint);
      await new SNSClient().send(new UnsubscribeCommand({ SubscriptionArn }));
    },
  },
  'AWS::SNS::TopicPolicy': {
    order: 2,
    make: ({ properties: { Topics, PolicyDocument } }) =>
      new SNSClient().send(
        new SetTopicAttributesCommand({
          ...{ TopicArn: Topics[0], AttributeName: 'Policy' },
          AttributeValue: JSON.stringify(PolicyDocument),
        }),
      ),
    // It is deleted with the topic.
    remove: async () => {},
  },
  'AWS::SQS::QueuePolicy': {
    order: 2,
    make: ({ properties: { Queues, PolicyDocument } }) =>
      setPolicy(Queues[0], JSON.stringify(PolicyDocument)),
    remove: ({ properties: { Queues } }) => setPolicy(Queues[0], ''),
  },
};

function setPolicy(QueueUrl: string, Policy: string): Promise<unknown> {
  return new SQSClient({ useQueueUrlAsEndpoint: false }).send(
    new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }),
  );
}

export function makeLeftOut(wanted: Wanted): Promise<unknown> {
  return makerOf(wanted).make(wanted);
}

export function removeLeftOut(wanted: Wanted): Promise<unknown> {
  return makerOf(wanted).remove(wanted);
}

/** The order of creation of a resource's type. */
export function orderOf({ Type }: { readonly Type: string }): number {
  return makerOf({ type: Type }).order;
}

function makerOf({ type }: Pick<Wanted, 'type'>): Maker {
  const maker = MAKERS[type];
  if (maker === undefined) throw new Error(`Unknown type ${type}: add its creation to left-out.ts.`);
  return maker;
}
