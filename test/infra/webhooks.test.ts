import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { parseWebhookEnvironment } from '../../functions/webhook/webhook-environment.ts';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { webhookRecord } from '../../shared/deployment/webhook-record.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, statementsOf } from './template.ts';

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
    allowPrivateAddresses: true,
    alarmAfter: Duration.minutes(20),
  });
  return { ...synthesis, all: synthesis.template() };
}

const { all, feed, stack } = twoWebhooks();

/** The values as in a deployment, with a text for each reference. */
const filled = (value: unknown) =>
  resolve(value, { ref: (id) => `https://ref/${id}`, attribute: (id, name) => `${id}.${name}` });

function variablesOf(id: string, part: 'Sender' | 'Sweep'): Record<string, string> {
  const { Properties } = resourceOf(all, 'AWS::Lambda::Function', `Webhooks${id}${part}`);
  return filled(Properties.Environment.Variables);
}

describe('the sender', () => {
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
    });
  });
});

describe('the signing secret', () => {
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
    });
    expect(record.secretHeaders).toEqual({ authorization: 'shop/bearer', 'x-tenant': 'shop/tenant' });
  });
});

describe('the alarms', () => {
  test('report how long it has failed, although attempts are a quarter of an hour apart', () => {
    const alarm = resourceOf(all, 'AWS::CloudWatch::Alarm', 'WebhooksWmsFailing').Properties;

    expect(alarm.DatapointsToAlarm).toBe(1);
    expect(alarm.Period * alarm.EvaluationPeriods).toBeGreaterThan(15 * 60 * 1.1 + 60);
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
