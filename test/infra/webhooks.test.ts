import { RemovalPolicy } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, test } from 'vitest';
import { parseWebhookEnvironment } from '../../functions/webhook/webhook-environment.ts';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { webhookRecord } from '../../shared/deployment/webhook-record.ts';
import { templateOfVariant } from './edges/judge-variant.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed, newStack } from './synthesize.ts';
import { resourceOf, statementsOf, type Template } from './template.ts';

const URL_OF_WMS = 'https://wms.example.com/hook';

/** With one webhook with the fewest options, Wms, and one with most options, Inside. */
const all = templateOfVariant('without a key');

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
    expect(parseWebhookEnvironment(variablesOf('Inside', part))).toMatchObject({
      ...{ WEBHOOK_ID: 'Inside', WEBHOOK_URL_SECRET: 'shop/hook', SIGNING_SECRET: 'shop/signing' },
      SECRET_HEADERS: { authorization: 'shop/bearer', 'x-tenant': 'shop/tenant' },
      ...{ CONTENT_TYPE: 'application/json', CLIENT_CERTIFICATE: 'shop/certificate' },
      FILTER: { sources: ['acme'], types: ['shipment.status_changed'], to: ['DELIVERED'], hasTracking: true },
      ...{ ADDRESSES: 'private', REQUEST_TIMEOUT_MS: 5_000, MAX_CONCURRENCY: 20, MAX_PER_SECOND: 2.5 },
      SHAPE: 'return',
    });
  });
});

test('a sender of whole returns reads snapshots, its sweep the returns that wait, and no other may', () => {
  const { feed, template } = aFeed();
  feed.addWebhook('Wms', { url: URL_OF_WMS, shape: 'return' });
  const plain = aFeed();
  plain.feed.addWebhook('Wms', { url: URL_OF_WMS });
  const reading = (synthesized: Template, id: string) =>
    statementsOf(synthesized, id)
      .filter(({ actions }) => actions.includes('dynamodb:BatchGetItem'))
      .map(({ resources }) => JSON.stringify(resources));

  const listsBehind = (synthesized: Template) =>
    statementsOf(synthesized, 'WebhooksWmsSweepRole').some(({ resources }) =>
      JSON.stringify(resources).includes('index/behind'),
    );

  expect(reading(template(), 'WebhooksWmsSenderRole')).toEqual([expect.stringContaining('Snapshots')]);
  expect(reading(template(), 'WebhooksWmsSweepRole')).toEqual([]);
  expect(listsBehind(template())).toBe(true);
  expect(listsBehind(plain.template())).toBe(false);
  expect(reading(plain.template(), 'WebhooksWmsSenderRole')).toEqual([]);
});

test('a network of your own: private subnets by default, and security groups of yours or its own', () => {
  const own = newStack();
  const { feed, template } = aFeed({}, own);
  const vpc = new ec2.Vpc(own, 'Network') as ec2.IVpc;
  const group = new ec2.SecurityGroup(own, 'Group', { vpc });
  feed.addWebhook('Erp', { url: URL_OF_WMS, vpc });
  feed.addWebhook('Wms', { url: URL_OF_WMS, vpc: { vpc, securityGroups: [group] } });

  const networks = ['Erp', 'Wms'].map(
    (id) => resourceOf(template(), 'AWS::Lambda::Function', `Webhooks${id}Sender`).Properties.VpcConfig,
  );
  for (const { SubnetIds, SecurityGroupIds } of networks) {
    expect(JSON.stringify(SubnetIds)).toMatch(/Private/);
    expect(SecurityGroupIds).toHaveLength(1);
  }
  expect(JSON.stringify(networks[1].SecurityGroupIds)).toContain('Group');
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
    const { Name, Value } = resourceOf(all, 'AWS::SSM::Parameter', `Webhooks${id}Record`).Properties;
    return { Name, record: webhookRecord.parse(JSON.parse(filled(Value))) };
  };

  test('can be read by commands, below a common path', () => {
    const { Name, record } = recordOf('Wms');

    expect(Name).toMatch(/^\/Shop-Feed-\w+\/webhooks\/Wms$/);
    expect(record).toMatchObject({
      ...{ id: 'Wms', url: URL_OF_WMS, secretHeaders: {}, filter: {}, addresses: 'public' },
      ...{ requestTimeoutMs: 15_000, queueUrl: expect.stringContaining('WebhooksWmsQueue') },
      sender: expect.stringContaining('WebhooksWmsSenderFunction'),
      log: expect.stringContaining('WebhooksWmsSenderLogs'),
    });
  });

  test('names secrets, and contains none', () => {
    const { record } = recordOf('Inside');

    expect(record.url).toBeUndefined();
    expect(record).toMatchObject({
      ...{
        urlSecret: 'shop/hook',
        clientCertificate: 'shop/certificate',
        maxPerSecond: 2.5,
        shape: 'return',
      },
      secretHeaders: { authorization: 'shop/bearer', 'x-tenant': 'shop/tenant' },
    });
  });
});

describe('the alarms', () => {
  test('report how long it has failed, although attempts are a quarter of an hour apart', () => {
    const alarm = resourceOf(all, 'AWS::CloudWatch::Alarm', 'WebhooksWmsFailing').Properties;

    expect(alarm.DatapointsToAlarm).toBe(1);
    expect(alarm.Period * alarm.EvaluationPeriods).toBeGreaterThan(15 * 60 * 1.1 + 60);
  });

  test('have a metric of the construct, only for existing webhooks', () => {
    const { feed } = aFeed();
    feed.addWebhook('Wms', { url: URL_OF_WMS });

    expect(feed.metricFailingFor('Wms').dimensions).toMatchObject({ webhook: 'Wms' });
    expect(() => feed.metricFailingFor('Erp')).toThrow(/no webhook "Erp": write one of "Wms"/);
  });

  test('share a row of the dashboard', () => {
    const dashboardOf = (template: Template) =>
      JSON.stringify(resourceOf(template, 'AWS::CloudWatch::Dashboard', 'Dashboard').Properties);

    for (const part of [METRICS.failingFor, 'not delivered to Wms', 'not delivered to Inside'])
      expect(dashboardOf(all)).toContain(part);
    expect(dashboardOf(aFeed().template())).not.toContain('Webhooks');
  });
});
