// CloudFormation accepts the templates, and cdk-nag's AWS Solutions pack finds nothing, with every feature. CDK checks
// CloudFormation's rules: the properties of each type, their formats and values, and references. The other tests skip
// this check, because it takes seconds. `cdk synth --strict` fails at any warning or finding.
import { Annotations, type App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { type CloudAssembly, SynthesisMessageLevel } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, test, vi } from 'vitest';
import { ReturnsChangeFeed } from '../../infra/returns-change-feed.ts';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { SampleWarehouse } from '../../infra/sample-warehouse.ts';
import { SampleWarehouseStack } from '../../infra/sample-warehouse-stack.ts';
import { CONTEXT, templateOfVariant } from './edges/judge-variant.ts';
import { VARIANTS } from './edges/variants.ts';
import { newValidatedApp } from './new-app.ts';
import { aFeed } from './synthesize.ts';
import { resourcesOf } from './template.ts';

// Loading the rules takes seconds.
vi.setConfig({ testTimeout: 60_000 });

/** CloudFormation: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MOST_RESOURCES = 500;
const LONGEST_TEMPLATE = 1_048_576;
/** Characters of all inline policies of a role, and of a managed one: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const LONGEST_INLINE = 10_240;
const LONGEST_MANAGED = 6_144;
/** Managed policies that a role may have. */
const MOST_MANAGED = 10;

/** The findings for what this project creates, in any stack, but not for what its user does. */
function findingsOf(app: App): string[] {
  const checks = new AwsSolutionsChecks(app, { verbose: true });
  return app.node
    .findAll()
    .filter(isOurs)
    .flatMap((it) => checks.validateScope(it).violations)
    .flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
}

function isOurs(it: IConstruct): boolean {
  if (
    [ReturnsFeedStack, SampleWarehouseStack, ReturnsChangeFeed, SampleWarehouse].some(
      (our) => it instanceof our,
    )
  )
    return true;
  const isBesideFunction = it.node.scope instanceof Stack && /BusSubscribers|Ordered/.test(it.node.id);
  return isBesideFunction && !(it instanceof lambda.Function);
}

function warningsOf({ stacks }: CloudAssembly): string[] {
  return stacks
    .flatMap(({ messages }) => messages)
    .filter(({ level, id }) => level !== SynthesisMessageLevel.INFO && !id.startsWith('/Shop/Network'))
    .map(({ level, id, entry }) => `${level} ${id} ${entry.data}`);
}

test.each(Object.entries(VARIANTS))(
  'CloudFormation accepts the feed deployed as %s, and the checks find nothing',
  (_, { build }) => {
    const app = newValidatedApp(CONTEXT);
    build(app);

    // Must come before the checks, because it splits policies that are too long.
    const assembly = app.synth();

    expect(warningsOf(assembly)).toEqual([]);
    expect(findingsOf(app)).toEqual([]);
  },
);

describe.each(['a hundred sources'])('a stack with %s and every feature', (name) => {
  const template = templateOfVariant(name);

  test("fits CloudFormation's limits, with room for more", () => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(MOST_RESOURCES - 20);
    expect(JSON.stringify(template).length).toBeLessThan(LONGEST_TEMPLATE);
  });

  test('has no role whose policies exceed the limits of IAM', () => {
    const lengthOf = (type: string) =>
      resourcesOf(template, type).map(
        ([, { Properties }]) => JSON.stringify(Properties.PolicyDocument, joined).length,
      );

    const managed = lengthOf('AWS::IAM::ManagedPolicy');
    expect(Math.max(...lengthOf('AWS::IAM::Policy'))).toBeLessThan(LONGEST_INLINE);
    expect(Math.max(0, ...managed)).toBeLessThan(LONGEST_MANAGED);
    expect(managed.length).toBeLessThan(MOST_MANAGED);
  });
});

/** Replaces references with their names, which are about as long as their values. */
function joined(_: string, value: unknown): unknown {
  const parts = (value as { 'Fn::Join'?: [string, ({ Ref?: string } | string)[]] } | null)?.['Fn::Join']?.[1];
  return parts?.map((part) => (typeof part === 'string' ? part : (part.Ref ?? ''))).join('') ?? value;
}

test.each([
  ['a property that its type does not have', 'AWS::SQS::Queue', { Colour: 'red' }],
  ['a value of another type', 'AWS::SQS::Queue', { VisibilityTimeout: 'a while' }],
  ['a reference to nothing', 'AWS::SQS::Queue', { QueueName: { Ref: 'Nothing' } }],
  ['an unknown type', 'AWS::SQS::Cue', {}],
])('%s would be found', (_, type, properties) => {
  const app = newValidatedApp(CONTEXT);

  new CfnResource(new Stack(app, 'Shop'), 'Resource', { type, properties });

  expect(() => app.synth()).toThrow('CloudFormation Validate');
});

test('a warning and a finding would be found', () => {
  const { stack, feed } = aFeed();
  Annotations.of(stack).addWarningV2('test', 'Something is not as it should be.');
  new sqs.Queue(feed, 'Open');

  const app = stack.node.root as App;
  expect(findingsOf(app)).toContain('AwsSolutions-SQS4 Shop/Feed/Open/Resource');
  expect(warningsOf(app.synth())).toEqual([expect.stringMatching('warning /Shop Something is not as it')]);
});

test('each acknowledgement has a reason', () => {
  const { feed } = aFeed();

  const reasons = feed.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.entries(data as Record<string, string>));
  expect(reasons.filter(([id]) => !id.includes('IAM5[Resource::arn'))).toEqual([
    [expect.stringContaining('AwsSolutions-IAM5[Resource::*]'), expect.stringContaining('ListStreams')],
    [expect.stringContaining('AwsSolutions-IAM5[Resource::*]'), expect.stringContaining('ListStreams')],
  ]);
  expect(reasons.filter(([id]) => id.includes('IAM5[Resource::arn'))).toHaveLength(3);
});
