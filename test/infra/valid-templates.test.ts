// CloudFormation accepts the templates with every feature. CDK checks its rules: the properties of each type, their
// formats and values, and references. The other tests skip this check, because it takes seconds.
import { CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { expect, test, vi } from 'vitest';
import { MOST_SOURCES } from '../../infra/check-props.ts';
import { ReturnsChangeFeed } from '../../infra/returns-change-feed.ts';
import { SampleWarehouse } from '../../infra/sample-warehouse.ts';
import { CONTEXT } from './edges/judge-variant.ts';
import { VARIANTS } from './edges/variants.ts';
import { buildLargeFeed } from './large-feed.ts';
import { newValidatedApp } from './new-app.ts';
import { aFunction } from './synthesize.ts';

// Loading the rules takes seconds.
vi.setConfig({ testTimeout: 60_000 });

test.each(Object.entries(VARIANTS))('CloudFormation accepts the feed deployed as %s', (_, { build }) => {
  const app = newValidatedApp(CONTEXT);

  build(app);

  expect(() => app.synth()).not.toThrow();
});

test('CloudFormation accepts a feed with the most sources and every feature', () => {
  const app = newValidatedApp(CONTEXT);

  buildLargeFeed(app, MOST_SOURCES);

  expect(() => app.synth()).not.toThrow();
});

test('CloudFormation accepts a feed with a non-default value for every option', () => {
  const app = newValidatedApp(CONTEXT);
  const stack = new Stack(app, 'Shop');
  const secretNamed = (name: string) => secretsmanager.Secret.fromSecretNameV2(stack, name, `shop/${name}`);
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
    ...{ runbookUrl: 'https://wiki.example.com/runbook', dashboard: false },
  });
  feed.addOrderedQueue('Erp', { filter: { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] } });
  feed.addWebhook('Wms', {
    url: secretNamed('hook'),
    filter: { sources: ['acme'], types: ['shipment.status_changed'], to: ['DELIVERED'] },
    ...{ secret: secretNamed('signing'), authorization: secretNamed('bearer') },
    secretHeaders: { 'x-tenant': secretNamed('tenant') },
    ...{ requestTimeout: Duration.seconds(5), maxConcurrency: 20, alarmAfter: Duration.hours(4) },
    ...{ clientCertificate: secretNamed('certificate'), contentType: 'application/json' },
    ...{ notify: 'wms@example.com', alarmAction: new SnsAction(new sns.Topic(stack, 'Pager')) },
  });
  feed.onChange('Delivered', {
    ...{ entity: 'shipment', from: 'IN_TRANSIT', to: 'DELIVERED', description: 'Parcels that arrive' },
    target: aFunction(stack),
  });
  new SampleWarehouse(stack, 'Warehouse', {
    ...{ feed, timeLimit: Duration.days(3), logRetention, removalPolicy: RemovalPolicy.DESTROY },
  });

  expect(() => app.synth()).not.toThrow();
});

test.each([
  ['a property that its type does not have', 'AWS::SQS::Queue', { Colour: 'red' }],
  ['a value of another type', 'AWS::SQS::Queue', { VisibilityTimeout: 'a while' }],
  ['a reference to nothing', 'AWS::SQS::Queue', { QueueName: { Ref: 'Nothing' } }],
  ['an unknown type', 'AWS::SQS::Cue', {}],
])('%s is found', (_, type, properties) => {
  const app = newValidatedApp(CONTEXT);

  new CfnResource(new Stack(app, 'Shop'), 'Resource', { type, properties });

  expect(() => app.synth()).toThrow('CloudFormation Validate');
});
