import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { parseRelayEnvironment } from '../../functions/relay/relay-environment.ts';
import { ReturnsChangeFeed } from '../../infra/returns-change-feed.ts';
import { aFeed, aSource, newStack, type Resource, resourceOf, resourcesOf } from './synthesize.ts';

const { feed, template } = aFeed();
feed.addOrderedQueue('Erp');
const all = template();

function functionOf(id: string) {
  return resourceOf(all, 'AWS::Lambda::Function', id).Properties;
}

describe.each([
  ['ordered', 'RelayToOrdered'],
  ['bus', 'RelayToBus'],
])('the relay to the destination %s', (destination, id) => {
  const mapping = resourceOf(all, 'AWS::Lambda::EventSourceMapping', id).Properties;

  test('gets a complete environment', () => {
    const text = 'arn:aws:sns:eu-west-1:111122223333:name.fifo';
    const variables = functionOf(id).Environment.Variables as Record<string, unknown>;
    const filledIn = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : text]),
    );

    expect(parseRelayEnvironment(filledIn)).toMatchObject({ DESTINATION: destination });
  });

  test('starts with events from before its creation', () => {
    expect(mapping.StartingPosition).toBe('TRIM_HORIZON');
  });

  test('is invoked for inserted events, not for expired ones', () => {
    expect(mapping.FilterCriteria.Filters).toEqual([{ Pattern: '{"eventName":["INSERT"]}' }]);
  });

  test('reports failures per record, and its batches are split on errors', () => {
    expect(mapping).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      BatchSize: 10,
    });
  });

  test('gets one batch of a shard at a time, so that no two relays handle the same group', () => {
    expect(mapping.ParallelizationFactor).toBe(1);
  });

  test('is retried until the records expire, and then reports the lost records', () => {
    expect(mapping.MaximumRetryAttempts).toBeUndefined();
    expect(mapping.MaximumRecordAgeInSeconds).toBeUndefined();
    expect(mapping.DestinationConfig.OnFailure.Destination['Fn::GetAtt'][0]).toContain('DeadLetters');
  });

  test('has a timeout of a minute', () => {
    expect(functionOf(id).Timeout).toBe(60);
  });
});

describe.each(['SweepToOrdered', 'SweepToBus'])('%s', (id) => {
  test("runs the sweep from the relay's code, with Lambda's longest timeout", () => {
    const sweep = functionOf(id);

    expect(sweep).toMatchObject({ Handler: 'index.sweep', Timeout: 900 });
    expect(sweep.Code).toEqual(functionOf(id.replace('Sweep', 'Relay')).Code);
  });

  test('runs once a day, and sends failures to the dead-letter queue', () => {
    const name = `Of${id.replace('SweepTo', '').toLowerCase()}`;
    const schedule = resourceOf(all, 'AWS::Scheduler::Schedule', name).Properties;
    const invoked = resourceOf(all, 'AWS::Lambda::EventInvokeConfig', id).Properties;

    expect(schedule.ScheduleExpression).toBe('rate(1 day)');
    expect(schedule.Target.Arn['Fn::GetAtt'][0]).toContain(id);
    expect(schedule.Target.DeadLetterConfig.Arn).toBeDefined();
    expect(invoked.DestinationConfig.OnFailure.Destination).toBeDefined();
  });
});

describe('the ordered topic', () => {
  const [[id, { Properties: topic }]] = resourcesOf(all, 'AWS::SNS::Topic') as [[string, Resource]];

  test('keeps each return group in order, however many there are', () => {
    expect(topic).toMatchObject({ FifoTopic: true, FifoThroughputScope: 'MessageGroup' });
    expect(topic.TopicName).toMatch(/\.fifo$/);
  });

  test("drops repeats by the event's id, not by content", () => {
    expect(topic.ContentBasedDeduplication).toBe(false);
  });

  test('accepts the largest messages that SQS accepts', () => {
    expect(topic.MaximumMessageSize).toBe(1_048_576);
  });

  test("is encrypted by SNS's own key, and refuses requests without TLS", () => {
    const [[, policy]] = resourcesOf(all, 'AWS::SNS::TopicPolicy') as [[string, Resource]];

    expect(topic.KmsMasterKeyId).toBe('alias/aws/sns');
    expect(policy.Properties).toMatchObject({ Topics: [{ Ref: id }] });
    expect(policy.Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        ...{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish', Resource: { Ref: id } },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
  });

  test('has a name of its own for each feed in an account', () => {
    const stack = newStack();
    aFeed({}, stack);
    const other = new ReturnsChangeFeed(stack, 'Other', { sources: [aSource(stack, { name: 'globex' })] });

    const names = resourcesOf(Template.fromStack(Stack.of(other)), 'AWS::SNS::Topic').map(
      ([, { Properties }]) => Properties.TopicName,
    );
    expect(new Set(names).size).toBe(2);
  });
});

describe('the bus', () => {
  test('has an archive of all its events', () => {
    const archive = resourceOf(all, 'AWS::Events::Archive', 'Archive').Properties;

    expect(archive.RetentionDays).toBe(30);
    expect(archive.EventPattern).toEqual({ source: [{ prefix: 'returns-change-feed.' }] });
    expect(archive.SourceArn['Fn::GetAtt'][0]).toContain('Bus');
  });

  test('has no key property for the archive without a key: some regions reject an empty string', () => {
    const archive = resourceOf(all, 'AWS::Events::Archive', 'Archive').Properties;

    expect(archive).not.toHaveProperty('KmsKeyIdentifier');
  });

  test('keeps them for the configured time', () => {
    const { template } = aFeed({ archiveRetention: Duration.days(90) });

    const archive = resourceOf(template(), 'AWS::Events::Archive', 'Archive').Properties;
    expect(archive.RetentionDays).toBe(90);
  });
});

test('every queue is encrypted and refuses requests without TLS', () => {
  const queues = resourcesOf(all, 'AWS::SQS::Queue');
  const policies = resourcesOf(all, 'AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);

  // Ticks, the feed's dead letters, and three of the subscription.
  expect(queues).toHaveLength(5);
  for (const [id, { Properties }] of queues) {
    const policy = policies.find(({ Queues }) => Queues.some((it: { Ref?: string }) => it.Ref === id));
    expect(Properties.SqsManagedSseEnabled).toBe(true);
    expect(policy?.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  }
});

test('dead letters are kept for two weeks', () => {
  for (const id of ['FeedDeadLetters', 'ErpDeadLetters', 'ErpUndelivered'])
    expect(resourceOf(all, 'AWS::SQS::Queue', id).Properties.MessageRetentionPeriod).toBe(14 * 86_400);
});

describe('every function', () => {
  const functions = resourcesOf(all, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties);

  test('runs on Node 24 on arm64', () => {
    expect(functions).toHaveLength(5);
    for (const fn of functions) expect(fn).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });

  test('writes to its own log group, with a retention of a month', () => {
    const groups = functions.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref);
    const retentions = resourcesOf(all, 'AWS::Logs::LogGroup').map(([, it]) => it.Properties.RetentionInDays);

    expect(new Set(groups).size).toBe(5);
    expect(retentions).toEqual([30, 30, 30, 30, 30]);
  });
});
