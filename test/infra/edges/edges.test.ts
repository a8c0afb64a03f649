// Whether AWS would let its services do what the templates have them do, in each way in which the feed is deployed; and
// that each statement which an edge needs is missed when it is taken away.
import { type App, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test, vi } from 'vitest';
import { newApp } from '../new-app.ts';
import { findSpare, refusals } from './judge-edges.ts';
import { CONTEXT, judgeVariant } from './judge-variant.ts';
import { purposeOf } from './spare-statements.ts';
import { VARIANTS } from './variants.ts';

// The first synthesis of a process takes seconds for what it loads.
vi.setConfig({ testTimeout: 60_000 });

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  const judged = () => judgeVariant(newApp(CONTEXT), variant);

  test('lets every service do what the template has it do', () => {
    const { edges } = judged();

    expect(edges.length).toBeGreaterThan(20);
    expect(refusals(edges)).toEqual([]);
  });

  test('has no statement that nothing would miss', () => {
    const { edges, policies } = judged();

    const spare = findSpare(edges, policies);

    expect(spare.length).toBeLessThan(policies.statements.length);
    expect(spare.filter((it) => purposeOf(it) === undefined).map(({ name }) => name)).toEqual([]);
  });
});

describe('is not passed over:', () => {
  test.each<[string, string, (stack: Stack) => void]>([
    [
      'a place that names something',
      'AWS::Lambda::Function DeadLetterConfig.TargetArn',
      (stack) => void aFunction(stack, { deadLetterQueue: new sqs.Queue(stack, 'Lost') }),
    ],
    [
      'a resource that names something',
      'AWS::Logs::SubscriptionFilter LogGroupName',
      (stack) => {
        const logGroup = new logs.LogGroup(stack, 'Log');
        const destinationArn = 'arn:aws:kinesis:eu-west-1:111111111111:stream/lines';
        new logs.CfnSubscriptionFilter(stack, 'Lines', {
          ...{ logGroupName: logGroup.logGroupName, destinationArn, filterPattern: '' },
        });
      },
    ],
    [
      'a target that is named',
      'It is not known what a rule needs for arn:aws:logs:',
      (stack) => {
        const target = new targets.CloudWatchLogGroup(new logs.LogGroup(stack, 'Log') as logs.ILogGroup);
        new events.Rule(stack, 'Rule', { eventPattern: { source: ['a'] }, targets: [target] });
      },
    ],
  ])('%s in a way that is new', (__, problem, build) => {
    const variant = { build: (app: App) => build(new Stack(app, 'Shop')) };

    expect(() => judgeVariant(newApp(CONTEXT), variant)).toThrow(problem);
  });
});

function aFunction(stack: Stack, props: Partial<lambda.FunctionProps>): lambda.Function {
  return new lambda.Function(stack, 'Function', {
    ...{ code: lambda.Code.fromInline('exports.handler = async () => {}'), handler: 'index.handler' },
    runtime: lambda.Runtime.NODEJS_24_X,
    ...props,
  });
}
