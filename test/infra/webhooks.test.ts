import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { parseWebhookEnvironment } from '../../functions/webhook/webhook-environment.ts';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { webhookRecord } from '../../shared/deployment/webhook-record.ts';
import { aFeed, newStack, resourceOf, resourcesOf, statementsOf } from './synthesize.ts';

const URL_OF_WMS = 'https://wms.example.com/hooks/returns';

/** Adds one webhook with the fewest options, and one with most options. */
function twoWebhooks() {
  const stack = newStack();
  const synthesis = aFeed({}, stack);
  const secretNamed = (name: string) => secretsmanager.Secret.fromSecretNameV2(stack, name, `shop/${name}`);
  synthesis.feed.addWebhook('Wms', { url: URL_OF_WMS });
  synthesis.feed.addWebhook('Automation', {
    url: secretNamed('hook'),
    filter: { entities: ['shipment'], to: ['DELIVERED'] },
    secret: secretNamed('signing'),
    authorization: secretNamed('bearer'),
    secretHeaders: { 'X-Tenant': secretNamed('tenant') },
    clientCertificate: secretNamed('certificate'),
    contentType: 'application/json',
    requestTimeout: Duration.seconds(5),
    maxConcurrency: 20,
    maxPerSecond: 2.5,
    shape: 'return',
    allowPrivateAddresses: true,
    alarmAfter: Duration.minutes(20),
  });
  return { ...synthesis, all: synthesis.template() };
}

const { all, feed, stack } = twoWebhooks();

function variablesOf(id: string, part: 'Sender' | 'Sweep'): Record<string, string> {
  const variables = resourceOf(all, 'AWS::Lambda::Function', `Webhooks${id}${part}`).Properties.Environment
    .Variables;
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, filled(value)]));
}

/** Returns a value as in a deployment, with a text for each reference. */
function filled(value: unknown): string {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join, Ref, 'Fn::GetAtt': attribute } = value as Record<string, never>;
  if (join !== undefined) return (join[1] as unknown[]).map(filled).join(join[0]);
  return Ref === undefined ? `att-${String(attribute)}` : `https://ref/${Ref}`;
}

test('the relay of a new stack waits for the webhooks, or their first rings would come with the daily sweep', () => {
  const [relay] = Object.entries(all.findResources('AWS::Lambda::Function')).filter(([id]) =>
    id.includes('RelayToOrdered'),
  );

  for (const [id] of resourcesOf(all, 'AWS::SNS::Subscription')) expect(relay?.[1].DependsOn).toContain(id);
});

describe('the queue of a webhook', () => {
  const queue = resourceOf(all, 'AWS::SQS::Queue', 'WebhooksWmsQueue').Properties;

  test('keeps the rings of each return in order for two weeks, and has no dead-letter queue of its own', () => {
    expect(queue).toMatchObject({
      ...{ FifoQueue: true, DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' },
      MessageRetentionPeriod: 14 * 86_400,
    });
    expect(queue.RedrivePolicy).toBeUndefined();
  });

  test.each(['Wms', 'Automation'])('hides a ring for longer than the sender of %s may run', (id) => {
    const { VisibilityTimeout } = resourceOf(all, 'AWS::SQS::Queue', `Webhooks${id}Queue`).Properties;
    const { Timeout } = resourceOf(all, 'AWS::Lambda::Function', `Webhooks${id}Sender`).Properties;

    expect(VisibilityTimeout).toBeGreaterThan(Timeout);
    expect(Timeout).toBe(60);
  });

  test('is subscribed to the topic, raw, with the filter, and with a dead-letter queue of its own', () => {
    const [wms, automation] = ['Wms', 'Automation'].map(
      (id) => resourceOf(all, 'AWS::SNS::Subscription', `Webhooks${id}`).Properties,
    );

    expect(wms).toMatchObject({
      ...{ Protocol: 'sqs', RawMessageDelivery: true },
      Endpoint: { 'Fn::GetAtt': [expect.stringContaining('WebhooksWmsQueue'), 'Arn'] },
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringContaining('WebhooksWmsUndelivered'), 'Arn'] },
      },
    });
    expect(wms.FilterPolicy).toEqual({ entity: [{ 'anything-but': ['feed'] }] });
    expect(automation).toMatchObject({
      FilterPolicyScope: 'MessageAttributes',
      FilterPolicy: { entity: ['shipment'], to: ['DELIVERED'] },
    });
  });
});

describe('the sender', () => {
  test.each([
    ['Wms', 5],
    ['Automation', 20],
  ])('of %s gets one ring at a time, reports failures, and has a limited concurrency', (id, most) => {
    expect(resourceOf(all, 'AWS::Lambda::EventSourceMapping', `Webhooks${id}`).Properties).toMatchObject({
      ...{ BatchSize: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ScalingConfig: { MaximumConcurrency: most },
      EventSourceArn: { 'Fn::GetAtt': [expect.stringContaining(`Webhooks${id}Queue`), 'Arn'] },
    });
  });

  test.each(['Sender', 'Sweep'] as const)('and the sweep can read their variables: %s', (part) => {
    expect(parseWebhookEnvironment(variablesOf('Wms', part))).toMatchObject({
      ...{ WEBHOOK_ID: 'Wms', WEBHOOK_URL: URL_OF_WMS, FILTER: {}, SECRET_HEADERS: {} },
      CONTENT_TYPE: 'application/cloudevents+json',
      ...{ ADDRESSES: 'public', REQUEST_TIMEOUT_MS: 15_000, MAX_CONCURRENCY: 5 },
      SIGNING_SECRET: expect.stringContaining('WebhooksWmsSecret'),
    });
    expect(variablesOf('Wms', part)).not.toHaveProperty('MAX_PER_SECOND');
    expect(parseWebhookEnvironment(variablesOf('Automation', part))).toMatchObject({
      ...{ WEBHOOK_ID: 'Automation', WEBHOOK_URL_SECRET: 'shop/hook', SIGNING_SECRET: 'shop/signing' },
      SECRET_HEADERS: { authorization: 'shop/bearer', 'x-tenant': 'shop/tenant' },
      ...{ CONTENT_TYPE: 'application/json', CLIENT_CERTIFICATE: 'shop/certificate' },
      FILTER: { entities: ['shipment'], to: ['DELIVERED'] },
      ...{ ADDRESSES: 'private', REQUEST_TIMEOUT_MS: 5_000, MAX_CONCURRENCY: 20, MAX_PER_SECOND: 2.5 },
      SHAPE: 'return',
    });
  });

  test('of whole returns reads snapshots, its sweep the returns that wait, and no other may', () => {
    const { feed: whole, template } = aFeed();
    whole.addWebhook('Wms', { url: URL_OF_WMS, shape: 'return' });
    const { Environment } = resourceOf(template(), 'AWS::Lambda::Function', 'WebhooksWmsSender').Properties;
    const reading = (synthesized: typeof all, id: string) =>
      statementsOf(synthesized, id)
        .filter(({ actions }) => actions.includes('dynamodb:BatchGetItem'))
        .map(({ resources }) => JSON.stringify(resources));

    const listsBehind = (synthesized: typeof all) =>
      statementsOf(synthesized, 'WebhooksWmsSweepRole').some(({ resources }) =>
        JSON.stringify(resources).includes('index/behind'),
      );

    expect(Environment.Variables.SHAPE).toBe('return');
    expect(reading(template(), 'WebhooksWmsSenderRole')).toEqual([expect.stringContaining('Snapshots')]);
    expect(reading(template(), 'WebhooksWmsSweepRole')).toEqual([]);
    expect(listsBehind(template())).toBe(true);
    expect(listsBehind(all)).toBe(false);
    expect(reading(all, 'WebhooksWmsSenderRole')).toEqual([]);
  });

  test('has a daily sweep, with the same dead-letter queue as other sweeps', () => {
    const schedule = resourceOf(all, 'AWS::Scheduler::Schedule', 'SweepOfWms').Properties;
    const invokes = resourceOf(all, 'AWS::Lambda::EventInvokeConfig', 'WebhooksWmsSweep').Properties;
    const deadLetters = { 'Fn::GetAtt': [expect.stringMatching(/^FeedDeadLetters/), 'Arn'] };

    expect(schedule.ScheduleExpression).toBe('rate(1 day)');
    expect(schedule.Target.Arn['Fn::GetAtt'][0]).toContain('WebhooksWmsSweep');
    expect(schedule.Target.DeadLetterConfig.Arn).toEqual(deadLetters);
    expect(invokes).toMatchObject({
      ...{ MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Destination: deadLetters } } },
    });
  });

  test('runs in a network of your own, and its code can not change network interfaces', () => {
    const own = newStack();
    const { feed: networked, template } = aFeed({}, own);
    const vpc = new ec2.Vpc(own, 'Network') as ec2.IVpc;
    const group = new ec2.SecurityGroup(own, 'Group', { vpc });
    networked.addWebhook('Erp', { url: URL_OF_WMS, vpc });
    networked.addWebhook('Wms', { url: URL_OF_WMS, vpc: { vpc, securityGroups: [group] } });
    const senders = ['Erp', 'Wms'].map(
      (id) => resourceOf(template(), 'AWS::Lambda::Function', `Webhooks${id}Sender`).Properties.VpcConfig,
    );

    for (const { SubnetIds, SecurityGroupIds } of senders) {
      expect(JSON.stringify(SubnetIds)).toMatch(/Private/);
      expect(SecurityGroupIds).toHaveLength(1);
    }
    expect(JSON.stringify(senders[1].SecurityGroupIds)).toContain('Group');
    const [allowed, denied] = ['Allow', 'Deny'].map((effect) =>
      statementsOf(template(), 'WebhooksErpSenderRole')
        .filter((it) => it.effect === effect && it.actions.some((action) => action.startsWith('ec2:')))
        .flatMap(({ actions }) => actions),
    );
    expect(allowed).toContain('ec2:CreateNetworkInterface');
    expect(denied).toEqual(allowed);
    expect(
      resourcesOf(template(), 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties.VpcConfig)
        .length,
    ).toBe(2);
    for (const [id, { Properties }] of resourcesOf(template(), 'AWS::IAM::Role'))
      if (id.includes('Webhooks')) expect(Properties.ManagedPolicyArns).toBeUndefined();
  });
});

describe('the signing secret', () => {
  const secret = () => resourceOf(all, 'AWS::SecretsManager::Secret', 'WebhooksWmsSecret');

  test('is generated with fixed properties: other properties would generate a new value', () => {
    expect(secret().Properties.GenerateSecretString).toEqual({
      ...{ ExcludePunctuation: true, IncludeSpace: false, PasswordLength: 64 },
    });
    expect(secret().Properties.Name).toBeUndefined();
  });

  test.each([
    [RemovalPolicy.RETAIN, 'Retain'],
    [RemovalPolicy.DESTROY, 'Delete'],
  ])('is retained or deleted like the tables: %s', (removalPolicy, expected) => {
    const other = aFeed({ removalPolicy });
    other.feed.addWebhook('Wms', { url: URL_OF_WMS });

    const { DeletionPolicy } = resourceOf(other.template(), 'AWS::SecretsManager::Secret', 'Wms');
    const table = resourceOf(other.template(), 'AWS::DynamoDB::Table', 'StorageLedger');
    expect([DeletionPolicy, table.DeletionPolicy]).toEqual([expected, expected]);
  });

  test('is not created if one is given', () => {
    const ids = resourcesOf(all, 'AWS::SecretsManager::Secret').map(([id]) => id);

    expect(ids).toEqual([expect.stringContaining('WebhooksWmsSecret')]);
  });

  test("is encrypted with the account's own key, which only its sender may use for it", () => {
    const own = newStack();
    const { feed: keyed, template } = aFeed({ encryptionKey: new kms.Key(own, 'Key') }, own);
    keyed.addWebhook('Wms', { url: URL_OF_WMS });

    expect(resourceOf(template(), 'AWS::SecretsManager::Secret', 'Wms').Properties.KmsKeyId).toBeDefined();
    const throughSecrets = resourcesOf(template(), 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
      JSON.stringify(Properties.PolicyDocument).includes('secretsmanager.') ? [id] : [],
    );
    expect(throughSecrets).toEqual([expect.stringContaining('WebhooksWmsSenderRole')]);
  });

  test('that is imported with its key lets the sender decrypt with that key', () => {
    const own = newStack();
    const { feed: other, template } = aFeed({}, own);
    const encryptionKey = kms.Key.fromKeyArn(own, 'K', 'arn:aws:kms:eu-west-1:111111111111:key/theirs');
    const secretCompleteArn = 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:shop/signing-x7Hk2Q';
    const imported = { secretCompleteArn, encryptionKey };
    const secret = secretsmanager.Secret.fromSecretAttributes(own, 'S', imported);
    other.addWebhook('Wms', { url: URL_OF_WMS, secret });

    const statements = statementsOf(template(), 'WebhooksWmsSenderRole');
    expect(statements).toContainEqual({
      ...{ effect: 'Allow', actions: ['secretsmanager:GetSecretValue'], resources: [secretCompleteArn] },
    });
    expect(statements).toContainEqual(
      expect.objectContaining({ actions: ['kms:Decrypt'], resources: [encryptionKey.keyArn] }),
    );
  });
});

describe('the record of a webhook', () => {
  const recordOf = (id: string) => {
    const { Name, Value, Type } = resourceOf(all, 'AWS::SSM::Parameter', `Webhooks${id}Record`).Properties;
    return { Name, Type, record: webhookRecord.parse(JSON.parse(filled(Value))) };
  };

  test('is a parameter below a common path, for commands', () => {
    const { Name, Type, record } = recordOf('Wms');

    expect(Name).toBe(`${feed.webhooksPath}/Wms`);
    expect(Type).toBe('String');
    expect(record).toMatchObject({
      ...{ id: 'Wms', url: URL_OF_WMS, secretHeaders: {}, filter: {}, addresses: 'public' },
      ...{ requestTimeoutMs: 15_000, queueUrl: expect.stringContaining('WebhooksWmsQueue') },
      sender: expect.stringContaining('WebhooksWmsSenderFunction'),
      log: expect.stringContaining('WebhooksWmsSenderLogs'),
    });
  });

  test('does not contain a URL that is a secret', () => {
    const { record } = recordOf('Automation');

    expect(record.url).toBeUndefined();
    expect(record.urlSecret).toBe('shop/hook');
    expect(record).toMatchObject({
      contentType: 'application/json',
      clientCertificate: 'shop/certificate',
      maxPerSecond: 2.5,
      shape: 'return',
    });
    expect(record.secretHeaders).toEqual({ authorization: 'shop/bearer', 'x-tenant': 'shop/tenant' });
  });
});

describe('the alarms', () => {
  const alarmOf = (id: string) => resourceOf(all, 'AWS::CloudWatch::Alarm', id).Properties;

  test.each([
    ['Wms', 3_600],
    ['Automation', 1_200],
  ])('report how long %s has failed, although attempts are a quarter of an hour apart', (id, Threshold) => {
    const alarm = alarmOf(`Webhooks${id}Failing`);

    expect(alarm).toMatchObject({
      ...{ Namespace: 'ReturnsChangeFeed', MetricName: METRICS.failingFor, Statistic: 'Maximum', Threshold },
      ...{ DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' },
    });
    expect(alarm.Dimensions).toContainEqual({ Name: 'webhook', Value: id });
    expect(alarm.Period * alarm.EvaluationPeriods).toBeGreaterThan(15 * 60 * 1.1 + 60);
  });

  test('report a sender that does not run, by a metric of SQS', () => {
    expect(alarmOf('WebhooksWmsRingsWait')).toMatchObject({
      ...{ MetricName: 'ApproximateAgeOfOldestMessage', Threshold: 3_600 },
      Dimensions: [
        { Name: 'QueueName', Value: { 'Fn::GetAtt': [expect.stringContaining('WmsQueue'), 'QueueName'] } },
      ],
    });
  });

  test('report rings that SNS could not write to the queue', () => {
    const [{ Value }] = alarmOf('WebhooksWmsNotDelivered').Dimensions;

    expect(Value['Fn::GetAtt'][0]).toContain('WebhooksWmsUndelivered');
    expect(alarmOf('LostBySns')).toBeDefined();
  });

  test('reach the owner of the endpoint at the first hour and at the day, and again when it recovers', () => {
    const owned = aFeed();
    const pager = new sns.Topic(owned.stack, 'Pager');
    owned.feed.addWebhook('Owned', {
      ...{ url: URL_OF_WMS, notify: 'wms@example.com' },
      alarmAction: new SnsAction(pager),
    });
    const template = owned.template();

    const actions = ['Failing', 'FailedForADay'].map((alarm) => {
      const { Threshold, AlarmActions, OKActions } = resourceOf(
        template,
        'AWS::CloudWatch::Alarm',
        `WebhooksOwned${alarm}`,
      ).Properties;
      expect(OKActions).toEqual(AlarmActions);
      return [Threshold, AlarmActions.map(({ Ref }: { Ref: string }) => Ref)];
    });
    const mail = expect.stringMatching(/^FeedWebhooksOwnedOwnersMail/);
    const topics = [expect.stringMatching(/^Pager/), mail];
    expect(actions.map(([threshold]) => threshold)).toEqual([3_600, 86_400]);
    for (const [, refs] of actions) expect(refs).toEqual(topics);
    const subscriptions = resourcesOf(template, 'AWS::SNS::Subscription').map(([, it]) => it.Properties);
    expect(subscriptions).toContainEqual({
      ...{ Protocol: 'email', Endpoint: 'wms@example.com', TopicArn: { Ref: mail } },
    });
    const { AlarmActions } = resourceOf(template, 'AWS::CloudWatch::Alarm', 'OwnedRingsWait').Properties;
    expect(AlarmActions).toBeUndefined();
  });

  test('have a metric of the construct, only for existing webhooks', () => {
    expect(feed.metricFailingFor('Wms').dimensions).toMatchObject({ webhook: 'Wms' });
    expect(() => feed.metricFailingFor('Erp')).toThrow(/no webhook "Erp": write one of "Wms", "Automation"/);
  });

  test('share a row of the dashboard', () => {
    const { DashboardBody } = resourceOf(all, 'AWS::CloudWatch::Dashboard', 'Dashboard').Properties;
    const body = JSON.stringify(Stack.of(stack).resolve(DashboardBody));

    for (const part of [METRICS.failingFor, 'not delivered to Wms', 'not delivered to Automation'])
      expect(body).toContain(part);
    const without = aFeed().template();
    const other = resourceOf(without, 'AWS::CloudWatch::Dashboard', 'Dashboard').Properties;
    expect(JSON.stringify(other)).not.toContain('Webhooks');
  });
});
