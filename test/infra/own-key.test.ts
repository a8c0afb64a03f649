// With a key of your own, EventBridge and SNS need its policy to write to queues. The policy must allow both to generate
// and to decrypt data keys: EventBridge in the encryption context of the queue and without conditions on the source, which
// it does not meet at encrypted destinations; SNS for the topic. No emulator checks this.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { aFeed, aFunction, newStack, resourceOf, resourcesOf } from './synthesize.ts';

const stack = newStack();
const elsewhere = new Stack(App.of(stack) as App, 'Elsewhere');
const { feed } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);
feed.onChange('Here', { entity: 'shipment', to: 'DELIVERED', target: aFunction(stack) });
feed.onChange('There', { entity: 'shipment', to: 'DELIVERED', target: aFunction(elsewhere) });
feed.addOrderedSubscriber(aFunction(stack, 'Ordered'));
feed.addOrderedSubscriber(aFunction(elsewhere, 'Ordered'));
feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
const template = Template.fromStack(stack);
const there = Template.fromStack(elsewhere);

interface KeyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Principal: { readonly Service?: string };
  readonly Condition?: Record<string, Record<string, unknown>>;
}

/** Returns whether the key's policy allows EventBridge an action for the messages of any queue. */
function mayUseKeyForQueues(action: string): boolean {
  const statements: KeyStatement[] = resourceOf(template, 'AWS::KMS::Key', 'Key').Properties.KeyPolicy
    .Statement;
  return statements.some(({ Effect, Action, Principal, Condition = {} }) => {
    const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => ({ operator, key, value: JSON.stringify(value) })),
    );
    return (
      Effect === 'Allow' &&
      Principal.Service === 'events.amazonaws.com' &&
      [Action].flat().includes(action) &&
      conditions.every(
        ({ operator, key, value }) =>
          operator === 'ArnLike' && key === 'kms:EncryptionContext:aws:sqs:arn' && value.endsWith(':*"]]}'),
      )
    );
  });
}

test('EventBridge may write undeliverable events to a dead-letter queue with the key', () => {
  const queues = [
    resourceOf(template, 'AWS::SQS::Queue', 'BusSubscribersDeadLetters'),
    resourceOf(there, 'AWS::SQS::Queue', 'BusSubscribers'),
  ];

  for (const { Properties } of queues) expect(Properties.KmsMasterKeyId).toBeDefined();
  expect(mayUseKeyForQueues('kms:GenerateDataKey')).toBe(true);
  expect(mayUseKeyForQueues('kms:Decrypt')).toBe(true);
});

test('EventBridge may only describe the key and use it for the bus and for queues', () => {
  const statements: KeyStatement[] = resourceOf(template, 'AWS::KMS::Key', 'Key').Properties.KeyPolicy
    .Statement;
  const ofEventBridge = statements.filter(
    ({ Principal, Action }) =>
      Principal.Service === 'events.amazonaws.com' && String(Action) !== 'kms:DescribeKey',
  );

  expect(ofEventBridge.length).toBeGreaterThan(0);
  for (const { Condition = {} } of ofEventBridge) {
    const keys = Object.values(Condition).flatMap((it) => Object.keys(it));
    expect(keys.filter((it) => it.startsWith('kms:EncryptionContext:'))).toHaveLength(1);
  }
});

test('events that the bus can not encrypt go to a queue without the key, and set off an alarm', () => {
  const bus = resourceOf(template, 'AWS::Events::EventBus', 'Bus').Properties;
  const [id, ...path] = bus.DeadLetterConfig.Arn['Fn::GetAtt'];
  const queue = resourceOf(template, 'AWS::SQS::Queue', id).Properties;
  const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy').flatMap(([, { Properties }]) =>
    Properties.Queues.some(({ Ref }: { Ref: string }) => Ref === id)
      ? Properties.PolicyDocument.Statement
      : [],
  );
  const alarm = resourceOf(template, 'AWS::CloudWatch::Alarm', 'BusEncryption').Properties;

  expect(path).toEqual(['Arn']);
  expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
  expect(queue.KmsMasterKeyId).toBeUndefined();
  expect(policies).toContainEqual(
    expect.objectContaining({
      Effect: 'Allow',
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Condition: {
        ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [expect.stringContaining('Bus'), 'Arn'] } },
      },
    }),
  );
  expect(alarm.Dimensions[0].Value['Fn::GetAtt'][0]).toBe(id);
});

test('the topic, the queues of subscriptions and their dead letters are encrypted with the key, in any stack', () => {
  const topic = resourceOf(template, 'AWS::SNS::Topic', 'Topic').Properties;
  const parts = [template, there].flatMap((it) =>
    ['OrderedQueue', 'OrderedDeadLetters'].map((id) => resourceOf(it, 'AWS::SQS::Queue', id).Properties),
  );

  const rings = resourceOf(template, 'AWS::SQS::Queue', 'WebhooksWmsQueue').Properties;

  expect(parts).toHaveLength(4);
  for (const { KmsMasterKeyId } of [topic, rings, ...parts]) expect(KmsMasterKeyId).toBeDefined();
});

test('SNS may write to the queues of subscriptions with the key, only for the topic of the feed', () => {
  const statements: KeyStatement[] = resourceOf(template, 'AWS::KMS::Key', 'Key').Properties.KeyPolicy
    .Statement;
  const { TopicName } = resourceOf(template, 'AWS::SNS::Topic', 'Topic').Properties;

  const ofSns = statements.filter(({ Principal }) => Principal.Service === 'sns.amazonaws.com');
  expect(ofSns).toEqual([
    expect.objectContaining({
      ...{ Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'] },
      Condition: {
        ArnEquals: { 'aws:SourceArn': { 'Fn::Join': ['', expect.arrayContaining([`:${TopicName}`])] } },
      },
    }),
  ]);
});

test('events that SNS can not encrypt go to queues without the key, and set off an alarm', () => {
  const undelivered = [template, there].flatMap((it) =>
    resourcesOf(it, 'AWS::SQS::Queue')
      .filter(([id]) => id.includes('Undelivered'))
      .map(([id, queue]) => ({ id, queue, alarms: resourcesOf(it, 'AWS::CloudWatch::Alarm') })),
  );

  expect(undelivered).toHaveLength(3);
  for (const { id, queue, alarms } of undelivered) {
    expect(queue.Properties).toMatchObject({ SqsManagedSseEnabled: true, FifoQueue: true });
    expect(queue.Properties.KmsMasterKeyId).toBeUndefined();
    const watching = alarms.filter(
      ([name, alarm]) =>
        name.includes('NotDelivered') && alarm.Properties.Dimensions[0].Value['Fn::GetAtt'][0] === id,
    );
    expect(watching).toHaveLength(1);
  }
});

test('each function’s logs are encrypted with the key, which only the logs of its account may use', () => {
  const groups = resourcesOf(template, 'AWS::Logs::LogGroup').filter(([id]) => id.startsWith('Feed'));
  const statements: KeyStatement[] = resourceOf(template, 'AWS::KMS::Key', 'Key').Properties.KeyPolicy
    .Statement;

  const ofLogs = statements.filter(({ Principal }) => JSON.stringify(Principal).includes('logs.'));

  expect(groups.length).toBeGreaterThan(6);
  for (const [, { Properties }] of groups) expect(Properties.KmsKeyId['Fn::GetAtt'][0]).toMatch(/^Key/);
  expect(ofLogs.map(({ Action }) => Action)).toEqual([
    expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']),
    'kms:DescribeKey',
  ]);
  expect(ofLogs[0]).toMatchObject({
    Condition: {
      ArnLike: {
        'kms:EncryptionContext:aws:logs:arn': {
          'Fn::Join': ['', expect.arrayContaining([':logs:', { Ref: 'AWS::AccountId' }])],
        },
      },
    },
  });
});

test.each(['RelayToOrderedRole', 'SweepToOrderedRole'])('%s may use the key through SNS', (role) => {
  const statements = resourcesOf(template, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    id.includes(role) ? Properties.PolicyDocument.Statement : [],
  );

  expect(statements).toContainEqual(
    expect.objectContaining({
      Action: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:GenerateDataKeyWithoutPlaintext'],
      Condition: {
        StringEquals: { 'kms:ViaService': { 'Fn::Join': ['', expect.arrayContaining(['sns.'])] } },
      },
    }),
  );
});

test('without its own key the bus has no dead-letter queue: encryption can not fail', () => {
  const bus = resourceOf(aFeed().template(), 'AWS::Events::EventBus', 'Bus').Properties;

  expect(bus.DeadLetterConfig).toBeUndefined();
});
