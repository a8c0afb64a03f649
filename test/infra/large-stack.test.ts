// A feed with every feature: a hundred sources and more, a key of your own, mails, subscribers in its own stack and in
// another stack. `cdk synth --strict` fails at any warning or finding.
import { Annotations, Stack } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { type CloudAssembly, SynthesisMessageLevel } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { MOST_SOURCES } from '../../infra/check-props.ts';
import type { TemplateText } from './known-resources.ts';
import { buildLargeFeed } from './large-feed.ts';
import { newUnbundledApp } from './synthesize.ts';

/** CloudFormation: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MOST_RESOURCES = 500;
const LONGEST_TEMPLATE = 1_048_576;
/** Characters of all inline policies of a role, and of a managed one: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const LONGEST_INLINE = 10_240;
const LONGEST_MANAGED = 6_144;
/** Managed policies that a role may have. */
const MOST_MANAGED = 10;

function synthesize(count: number) {
  const app = newUnbundledApp();
  const { feed, elsewhere } = buildLargeFeed(app, count);
  // Must come first, because it splits policies that are too long.
  const assembly = app.synth();
  const template = assembly.getStackByName('Shop').template as TemplateText;
  const checks = new AwsSolutionsChecks(app, { verbose: true });
  const subscribers = elsewhere.node.children.filter(({ node }) => /BusSubscribers|Ordered/.test(node.id));
  const findings = [feed, ...subscribers].flatMap((it) => checks.validateScope(it).violations);
  return { template, findings, subscribers, warnings: warningsOf(assembly) };
}

function warningsOf({ stacks }: CloudAssembly): string[] {
  return stacks
    .flatMap(({ messages }) => messages)
    .filter(({ level }) => level !== SynthesisMessageLevel.INFO)
    .map(({ level, id, entry }) => `${level} ${id} ${entry.data}`);
}

/** Replaces references with their names, which are about as long as their values. */
function joined(_: string, value: unknown): unknown {
  const parts = (value as { 'Fn::Join'?: [string, ({ Ref?: string } | string)[]] } | null)?.['Fn::Join']?.[1];
  return parts?.map((part) => (typeof part === 'string' ? part : (part.Ref ?? ''))).join('') ?? value;
}

describe.each([100, MOST_SOURCES])('a stack with %s sources and every feature', (count) => {
  const { template, findings, subscribers, warnings } = synthesize(count);

  test("fits CloudFormation's limits, with room for more", () => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(MOST_RESOURCES - 20);
    expect(JSON.stringify(template).length).toBeLessThan(LONGEST_TEMPLATE);
  });

  test('has no role whose policies exceed the limits of IAM', () => {
    const resources = Object.values(template.Resources);
    const lengthOf = (type: string) =>
      resources
        .filter(({ Type }) => Type === type)
        .map(({ Properties }) => JSON.stringify(Properties?.PolicyDocument, joined).length);

    const managed = lengthOf('AWS::IAM::ManagedPolicy');
    expect(Math.max(...lengthOf('AWS::IAM::Policy'))).toBeLessThan(LONGEST_INLINE);
    expect(Math.max(0, ...managed)).toBeLessThan(LONGEST_MANAGED);
    expect(managed.length).toBeLessThan(MOST_MANAGED);
  });

  test('has no warnings or findings', () => {
    expect(subscribers).toHaveLength(2);
    expect(findings).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

test('a warning and a finding would be found', () => {
  const app = newUnbundledApp();
  const stack = new Stack(app, 'Shop');
  Annotations.of(stack).addWarningV2('test', 'Something is not as it should be.');
  new sqs.Queue(stack, 'Open');

  const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);
  expect(warningsOf(app.synth())).toEqual([expect.stringMatching('warning /Shop Something is not as it')]);
  expect(violations.length).toBeGreaterThan(0);
});
