// With a key of your own, all that holds data is encrypted with it. Events that EventBridge or SNS can't encrypt go to
// queues without the key, and alarms report them. The folder `edges` judges whether each service may use the key.
import { App, Stack } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { aFeed, aFunction, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, templateOf } from './template.ts';

const stack = newStack();
const elsewhere = new Stack(App.of(stack) as App, 'Elsewhere');
const { feed } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);
feed.onChange('Here', { entity: 'shipment', to: 'DELIVERED', target: aFunction(stack) });
feed.onChange('There', { entity: 'shipment', to: 'DELIVERED', target: aFunction(elsewhere) });
feed.addOrderedSubscriber(aFunction(stack, 'Ordered'));
feed.addOrderedSubscriber(aFunction(elsewhere, 'Ordered'));
feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
const templates = [stack, elsewhere].map(templateOf);
const all = (type: string) => templates.flatMap((it) => resourcesOf(it, type));
/** Written to by EventBridge or SNS when they can't use the key. */
const UNENCRYPTED = /PublishingBusDeadLetters|Undelivered/;

test.each([
  ['AWS::DynamoDB::Table', 'SSESpecification'],
  ['AWS::Events::Archive', 'KmsKeyIdentifier'],
  ['AWS::Events::EventBus', 'KmsKeyIdentifier'],
  ['AWS::Logs::LogGroup', 'KmsKeyId'],
  ['AWS::SNS::Topic', 'KmsMasterKeyId'],
  ['AWS::SQS::Queue', 'KmsMasterKeyId'],
  ['AWS::SecretsManager::Secret', 'KmsKeyId'],
])('each %s is encrypted with the key, in any stack', (type, property) => {
  const encrypted = all(type).filter(([id]) => !UNENCRYPTED.test(id) && !/^(Ordered|Subscriber)Log/.test(id));

  expect(encrypted.length).toBeGreaterThan(0);
  for (const [id, { Properties }] of encrypted)
    expect([id, JSON.stringify(Properties[property])]).toEqual([id, expect.stringMatching(/Key/)]);
});

test('events that the bus or SNS can not encrypt go to queues without the key, each with an alarm', () => {
  const watched = all('AWS::CloudWatch::Alarm').map(
    ([, { Properties }]) => Properties.Dimensions?.[0]?.Value['Fn::GetAtt']?.[0],
  );
  const queues = all('AWS::SQS::Queue').filter(([id]) => UNENCRYPTED.test(id));

  expect(queues).toHaveLength(4);
  for (const [id, { Properties }] of queues) {
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
    expect(Properties.KmsMasterKeyId).toBeUndefined();
    expect(watched).toContain(id);
  }
});

test('a service may use the key only for what this feed encrypts, or describe it', () => {
  const { Statement } = resourceOf(templates[0]!, 'AWS::KMS::Key', 'Key').Properties.KeyPolicy;
  const ofServices = Statement.filter(
    ({ Principal: { Service }, Action }: { Principal: { Service?: unknown }; Action: unknown }) =>
      Service !== undefined && Action !== 'kms:DescribeKey',
  );

  const conditions = ofServices.map(({ Condition = {} }: { Condition?: Record<string, object> }) =>
    Object.values(Condition).flatMap((it) =>
      Object.keys(it).filter((key) => /^kms:EncryptionContext|^aws:SourceArn$/.test(key)),
    ),
  );
  expect(conditions.length).toBeGreaterThan(3);
  for (const keys of conditions) expect(keys).not.toEqual([]);
});

test('without a key of its own the bus has no dead-letter queue: encryption can not fail', () => {
  const bus = resourceOf(aFeed().template(), 'AWS::Events::EventBus', 'Bus').Properties;

  expect(bus.DeadLetterConfig).toBeUndefined();
});
