// Variants of a deployment of the feed, each a whole app.
import { readFileSync } from 'node:fs';
import { type App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import {
  ReturnsChangeFeed,
  type ReturnsChangeFeedProps,
  type WebhookOptions,
} from '../../../infra/returns-change-feed.ts';
import { ReturnsFeedStack } from '../../../infra/returns-feed-stack.ts';
import { SampleWarehouse } from '../../../infra/sample-warehouse.ts';
import { SampleWarehouseStack } from '../../../infra/sample-warehouse-stack.ts';
import { STAGES, type Stage } from '../../../infra/stages.ts';
import { aFunction, aSource, tokenByPrefix } from '../synthesize.ts';
import { ACCOUNT, type Account, REGION } from './read-account.ts';
import type { GivenPolicy } from './read-policies.ts';

export interface Variant {
  readonly build: (app: App) => void;
  /** The policies of resources that the app refers to, but does not contain. */
  readonly given?: (account: Account) => readonly GivenPolicy[];
}

const IMPORTED_KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/5d0e8a5c-1f0b-4c66-9d0c-0b6a3a1f4a11`;

const DELIVERED = { entity: 'shipment', to: 'DELIVERED' } as const;

export const VARIANTS: Readonly<Record<string, Variant>> = {
  'the production stage': { build: (app) => deployStage(app, STAGES.production) },
  'the trial stage': { build: (app) => deployStage(app, STAGES.trial) },
  'with alarms by mail': {
    build(app) {
      for (const stage of Object.values(STAGES))
        deployStage(app, { ...stage, alarmEmail: 'ops@example.com' });
    },
  },
  'without a key': { build: (app) => subscribeAll(inStack(app, { pull: true })) },
  'with a key of the stack': {
    build(app) {
      const stack = new Stack(app, 'Shop');
      subscribeAll(inStack(app, { encryptionKey: new kms.Key(stack, 'Key'), pull: true }, stack));
    },
  },
  'with an imported key': {
    build(app) {
      const stack = new Stack(app, 'Shop');
      const encryptionKey = kms.Key.fromKeyArn(stack, 'Key', IMPORTED_KEY);
      subscribeAll(inStack(app, { encryptionKey, pull: true }, stack));
    },
    given: (account) => [{ resource: IMPORTED_KEY, statements: importedKeyPolicy(account) }],
  },
  "with a topic of one's own for alarms": {
    build(app) {
      const stack = new Stack(app, 'Shop');
      const topic = new sns.Topic(stack, 'Alarms');
      topic.addSubscription(new SqsSubscription(new sqs.Queue(stack, 'Tickets')));
      inStack(app, { alarmAction: new SnsAction(topic) }, stack);
    },
  },
  'with subscribers in another stack': {
    build(app) {
      const { stack, feed } = inStack(app);
      const other = new Stack(app, 'Other');
      feed.addOrderedSubscriber(aFunction(stack, 'Ordered'));
      feed.addOrderedSubscriber(aFunction(other, 'Ordered'));
      feed.onChange('Delivered', { ...DELIVERED, target: aFunction(other, 'OnBus') });
    },
  },
  'with a key and subscribers in another stack': {
    build(app) {
      const stack = new Stack(app, 'Shop');
      const { feed } = inStack(app, { encryptionKey: new kms.Key(stack, 'Key') }, stack);
      const other = new Stack(app, 'Other');
      feed.addOrderedSubscriber(aFunction(other, 'Ordered'));
      feed.onChange('Delivered', { ...DELIVERED, target: aFunction(other, 'OnBus') });
    },
  },
  'two feeds in one stack': {
    build(app) {
      const { stack, feed } = inStack(app);
      feed.addOrderedQueue('Erp');
      const other = aFeed(stack, 'OtherFeed', ['globex']);
      feed.onChange('Delivered', { ...DELIVERED, target: aFunction(stack, 'OnBus') });
      other.addOrderedQueue('Erp');
      other.onChange('Delivered', { ...DELIVERED, target: aFunction(stack, 'OnOtherBus') });
    },
  },
  'with every option': { build: withEveryOption },
  'two sources': { build: (app) => withSources(app, 2) },
  'a hundred sources': { build: (app) => withSources(app, 100) },
  'to which commands add sources': {
    build(app) {
      const { stack, feed } = inStack(app, { addSources: true });
      feed.grantAddSources(aFunction(stack, 'Onboarding'));
    },
  },
};

/** The statements that SECURITY.md requires. */
function importedKeyPolicy({ resources }: Account): GivenPolicy['statements'] {
  const page = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
  const [, text = ''] = /^### A key of your own$.*?^```json\n(.*?)^```$/ms.exec(page) ?? [];
  const busArn = resources.find(
    ({ type, path }) => type === 'AWS::Events::EventBus' && /Feed/.test(path),
  )?.arn;
  const filled = text
    .replaceAll('<account>', ACCOUNT)
    .replaceAll('<region>', REGION)
    .replaceAll('<BusName>', busArn?.split('/').at(-1) ?? '');
  return JSON.parse(filled);
}

function deployStage(app: App, stage: Stage): void {
  const { feed } = new ReturnsFeedStack(app, stage);
  if (stage.sampleWarehouse !== undefined) new SampleWarehouseStack(app, feed, stage);
}

interface InStack {
  readonly stack: Stack;
  readonly feed: ReturnsChangeFeed;
}

function inStack(
  app: App,
  props: Partial<ReturnsChangeFeedProps> = {},
  stack = new Stack(app, 'Shop'),
): InStack {
  return { stack, feed: aFeed(stack, 'Feed', ['acme'], props) };
}

/** Adds each kind of subscriber and target, some with every option. */
function subscribeAll({ stack, feed }: InStack): void {
  const { queue } = feed.addOrderedSubscriber(aFunction(stack, 'Ordered'), { filter: { sources: ['acme'] } });
  const encryptionKey = queue.encryptionMasterKey;
  feed.addOrderedSubscriber(aFunction(stack, 'All'), { batchSize: 5, maxConcurrency: 20 });
  feed.addOrderedQueue('Erp', { alarmAfter: Duration.hours(1), visibilityTimeout: Duration.minutes(2) });
  feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
  const vpc = ec2.Vpc.fromVpcAttributes(stack, 'Network', {
    ...{
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['eu-west-1a', 'eu-west-1b'],
      privateSubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
    },
  });
  const [subnet] = vpc.privateSubnets;
  const securityGroups = [new ec2.SecurityGroup(stack, 'Group', { vpc }) as ec2.ISecurityGroup];
  const network = { vpc, securityGroups, ...(subnet && { subnets: { subnets: [subnet] } }) };
  feed.addWebhook('Inside', { ...everyWebhookOption(stack), vpc: network });
  feed.onChange('Delivered', { ...DELIVERED, target: aFunction(stack, 'OnBus') });
  const theirs = new sqs.Queue(stack, 'Theirs', encryptionKey && { encryptionMasterKey: encryptionKey });
  feed.onChange('ToQueue', { ...DELIVERED, target: new targets.SqsQueue(theirs) });
  const otherBus = new events.EventBus(stack, 'OtherBus') as events.IEventBus;
  feed.onChange('ToBus', { ...DELIVERED, target: new targets.EventBus(otherBus) });
  const { workflow } = new SampleWarehouse(stack, 'Warehouse', { feed, subscribeTo: 'bus' });
  feed.onChange('ToWorkflow', { ...DELIVERED, target: new targets.SfnStateMachine(workflow.stateMachine) });
}

/** Every option but the network. */
function everyWebhookOption(stack: Stack): WebhookOptions {
  const secretNamed = (name: string) => secretsmanager.Secret.fromSecretNameV2(stack, name, `shop/${name}`);
  return {
    url: secretNamed('hook'),
    filter: { sources: ['acme'], types: ['shipment.status_changed'], to: ['DELIVERED'], hasTracking: true },
    ...{ secret: secretNamed('signing'), authorization: secretNamed('bearer') },
    secretHeaders: { 'X-Tenant': secretNamed('tenant') },
    ...{ clientCertificate: secretNamed('certificate'), contentType: 'application/json' },
    ...{ requestTimeout: Duration.seconds(5), maxConcurrency: 20, maxPerSecond: 2.5 },
    ...{ allowPrivateAddresses: true, alarmAfter: Duration.minutes(20), shape: 'return' },
    ...{ notify: 'wms@example.com', alarmAction: new SnsAction(new sns.Topic(stack, 'Pager')) },
  };
}

/** A feed and a sample warehouse with a non-default value for every option. */
function withEveryOption(app: App): void {
  const stack = new Stack(app, 'Shop');
  const logRetention = logs.RetentionDays.ONE_WEEK;
  const feed = new ReturnsChangeFeed(stack, 'Feed', {
    sources: [
      {
        name: 'acme',
        baseUrl: 'https://returns.example.com/api',
        token: ssm.StringParameter.fromSecureStringParameterAttributes(stack, 'Token', {
          parameterName: '/shop/token',
        }),
        ...{ interval: Duration.seconds(10), lookback: Duration.minutes(20), settle: Duration.seconds(40) },
        ...{ baseline: 'emit', reconcile: Duration.minutes(30), requestsPerMinute: 240 },
        ...{ customerData: true, sourceRead: true, requestTimeout: Duration.seconds(5) },
      },
    ],
    ...{ archiveRetention: Duration.days(7), logRetention, removalPolicy: RemovalPolicy.DESTROY },
    ...{ runbookUrl: 'https://wiki.example.com/runbook', dashboard: false, pull: { maxConcurrency: 5 } },
  });
  feed.addOrderedQueue('Erp', { filter: { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] } });
  feed.onChange('Delivered', {
    ...{ entity: 'shipment', from: 'IN_TRANSIT', to: 'DELIVERED', description: 'Parcels that arrive' },
    target: aFunction(stack, 'OnBus'),
  });
  new SampleWarehouse(stack, 'Warehouse', {
    ...{ feed, timeLimit: Duration.days(3), logRetention, removalPolicy: RemovalPolicy.DESTROY },
  });
}

/** A feed with every feature, a key, mails, and subscribers in its own stack and in another one. */
function withSources(app: App, count: number): void {
  const [shop, elsewhere] = [new Stack(app, 'Shop'), new Stack(app, 'Elsewhere')];
  const names = Array.from({ length: count }, (_, at) => `source-${at}`.padEnd(30, 'x'));
  const topic = new sns.Topic(shop, 'Alarms');
  const feed = aFeed(shop, 'Feed', names, {
    encryptionKey: new kms.Key(shop, 'Key', { enableKeyRotation: true }),
    alarmAction: new SnsAction(topic),
  });
  feed.addOrderedSubscriber(aFunction(shop));
  feed.addOrderedSubscriber(aFunction(elsewhere), { filter: { sources: names.slice(0, 1) } });
  feed.addOrderedQueue('Erp');
  feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
  for (const target of [aFunction(shop, 'Here'), aFunction(elsewhere, 'There')])
    feed.onChange(target.node.id, { ...DELIVERED, target });
}

function aFeed(
  stack: Stack,
  id: string,
  names: readonly string[],
  props: Partial<ReturnsChangeFeedProps> = {},
): ReturnsChangeFeed {
  const sources = names.map((name) =>
    aSource(stack, names.length > 10 ? { name, token: tokenByPrefix(stack, name) } : { name }),
  );
  return new ReturnsChangeFeed(stack, id, { ...props, sources });
}
