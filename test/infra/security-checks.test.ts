// Runs cdk-nag's AWS Solutions pack, like `cdk synth`, on all features of the construct.
import { Validations } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import { aFeed, aFunction, aSource, newStack, newUnbundledApp, type Synthesis } from './synthesize.ts';

function findings({ stack, feed }: Pick<Synthesis, 'stack' | 'feed'>): string[] {
  const { violations } = new AwsSolutionsChecks(stack, { verbose: true }).validateScope(feed);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
  );
}

test('the checks find a problem', () => {
  const synthesis = aFeed();
  new sqs.Queue(synthesis.feed, 'Open');

  expect(findings(synthesis)).toContain('AwsSolutions-SQS4 Shop/Feed/Open/Resource');
});

test('the construct has no findings, with any of its features', () => {
  const stack = newStack();
  const synthesis = aFeed(
    {
      sources: [aSource(stack), aSource(stack, { name: 'globex' })],
      encryptionKey: new kms.Key(stack, 'Key'),
    },
    stack,
  );
  synthesis.feed.addOrderedSubscriber(aFunction(stack), { filter: { sources: ['acme'] } });
  synthesis.feed.addOrderedSubscriber(aFunction(stack, 'All'));
  synthesis.feed.addOrderedQueue('Erp');
  const vpc = ec2.Vpc.fromVpcAttributes(stack, 'Network', {
    ...{
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['a'],
      privateSubnetIds: ['subnet-0123456789abcdef0'],
    },
  });
  synthesis.feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
  synthesis.feed.addWebhook('Inside', { url: 'https://wms.internal', vpc, allowPrivateAddresses: true });

  expect(findings(synthesis)).toEqual([]);
});

test.each(Object.entries(STAGES))('the stage %s has no findings, with mails', (_, stage) => {
  const app = newUnbundledApp();
  const stack = new ReturnsFeedStack(app, { ...stage, alarmEmail: 'ops@example.com' });

  const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);
  expect(violations).toEqual([]);
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
  expect(reasons.filter(([id]) => id.includes('IAM5[Resource::arn'))).toHaveLength(4);
});
