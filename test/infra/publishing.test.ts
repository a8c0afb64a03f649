import { Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { parseRelayEnvironment } from '../../functions/relay/relay-environment.ts';
import { aFeed, resourceOf, resourcesOf } from './synthesize.ts';

const all = aFeed().template();

function functionOf(id: string) {
  return resourceOf(all, 'AWS::Lambda::Function', id).Properties;
}

describe.each([
  ['queue', 'RelayToQueue'],
  ['bus', 'RelayToBus'],
])('the relay to the %s', (destination, id) => {
  const mapping = resourceOf(all, 'AWS::Lambda::EventSourceMapping', id).Properties;

  test('gets a complete environment', () => {
    const text = 'https://sqs.eu-west-1.amazonaws.com/111122223333/name';
    const variables = functionOf(id).Environment.Variables as Record<string, unknown>;
    const filledIn = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : text]),
    );

    expect(parseRelayEnvironment(filledIn)).toMatchObject({ DESTINATION: destination });
  });

  test('starts with events from before its creation', () => {
    expect(mapping.StartingPosition).toBe('TRIM_HORIZON');
  });

  test('is invoked only for new events, not for expired ones', () => {
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

describe.each(['SweepToQueue', 'SweepToBus'])('%s', (id) => {
  test("runs the sweep from the relay's code, with Lambda's longest timeout", () => {
    const sweep = functionOf(id);

    expect(sweep).toMatchObject({ Handler: 'index.sweep', Timeout: 900 });
    expect(sweep.Code).toEqual(functionOf(id.replace('Sweep', 'Relay')).Code);
  });

  test('runs once a day, and reports if it can not', () => {
    const name = `Of${id.replace('SweepTo', '').toLowerCase()}`;
    const schedule = resourceOf(all, 'AWS::Scheduler::Schedule', name).Properties;
    const invoked = resourceOf(all, 'AWS::Lambda::EventInvokeConfig', id).Properties;

    expect(schedule.ScheduleExpression).toBe('rate(1 day)');
    expect(schedule.Target.Arn['Fn::GetAtt'][0]).toContain(id);
    expect(schedule.Target.DeadLetterConfig.Arn).toBeDefined();
    expect(invoked.DestinationConfig.OnFailure.Destination).toBeDefined();
  });
});

describe('the FIFO queue', () => {
  const queue = resourceOf(all, 'AWS::SQS::Queue', 'PublishingEvents918').Properties;

  test('keeps each return group in order, however many there are', () => {
    expect(queue).toMatchObject({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    expect(queue.ContentBasedDeduplication).toBeUndefined();
  });

  test('keeps events for two weeks while its consumer is down', () => {
    expect(queue.MessageRetentionPeriod).toBe(14 * 86_400);
  });

  test('moves an event that fails repeatedly to the dead-letter queue, so that its group continues', () => {
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(10);
    expect(queue.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0]).toContain('EventsDeadLetters');
  });
});

describe('the bus', () => {
  test('has an archive of all its events', () => {
    const archive = resourceOf(all, 'AWS::Events::Archive', 'Archive').Properties;

    expect(archive.RetentionDays).toBe(30);
    expect(archive.EventPattern).toEqual({ source: [{ prefix: 'returns-change-feed.' }] });
    expect(archive.SourceArn['Fn::GetAtt'][0]).toContain('Bus');
  });

  test('names no key for the archive without one: some regions refuse an empty text', () => {
    const archive = resourceOf(all, 'AWS::Events::Archive', 'Archive').Properties;

    expect(archive).not.toHaveProperty('KmsKeyIdentifier');
  });

  test('keeps them for the configured time', () => {
    const feed = aFeed({ archiveRetention: Duration.days(90) });

    const archive = resourceOf(feed.template(), 'AWS::Events::Archive', 'Archive').Properties;
    expect(archive.RetentionDays).toBe(90);
  });
});

test('every queue is encrypted and refuses requests without TLS', () => {
  const queues = resourcesOf(all, 'AWS::SQS::Queue');
  const policies = resourcesOf(all, 'AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);

  expect(queues).toHaveLength(4);
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
  for (const id of ['FeedDeadLetters', 'EventsDeadLetters'])
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
