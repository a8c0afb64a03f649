// For each variant of a deployment: the policies allow the calls that AWS's services make for the templates, every
// statement is needed for one of them, and none contradicts AWS's definitions.
import { type App, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test, vi } from 'vitest';
import { newApp } from '../new-app.ts';
import { reasonFor } from './accepted-mistakes.ts';
import { findMistakes } from './find-mistakes.ts';
import { findSpare, refusals } from './judge-edges.ts';
import { CONTEXT, type JudgedVariant, judgeVariant } from './judge-variant.ts';
import { purposeOf } from './spare-statements.ts';
import { VARIANTS } from './variants.ts';

// The first synthesis of a process takes seconds, for loading modules.
vi.setConfig({ testTimeout: 60_000 });

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  let known: JudgedVariant | undefined;
  function judged(): JudgedVariant {
    known ??= judgeVariant(newApp(CONTEXT), variant);
    return known;
  }

  test('allows every call of services that the template requires', () => {
    const { edges } = judged();

    expect(edges.length).toBeGreaterThan(20);
    expect(refusals(edges)).toEqual([]);
  });

  test('has no unnecessary statement', () => {
    const { edges, policies } = judged();

    const spare = findSpare(edges, policies);

    expect(spare.length).toBeLessThan(policies.statements.length);
    expect(spare.filter((it) => purposeOf(it) === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('names only actions, resources and condition keys that AWS defines for each other', async () => {
    const { policies } = judged();

    const mistakes = (await Promise.all(policies.statements.map(findMistakes))).flat();

    expect(mistakes.filter((it) => reasonFor(it) === undefined)).toEqual([]);
  });
});

describe('is reported:', () => {
  test.each<[string, string, (stack: Stack) => void]>([
    [
      'a property that names a resource',
      'AWS::Lambda::Function DeadLetterConfig.TargetArn',
      (stack) => void aFunction(stack, { deadLetterQueue: new sqs.Queue(stack, 'Lost') }),
    ],
    [
      'a resource that names another',
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
      'a named target',
      'Unknown needs of a rule for arn:aws:logs:',
      (stack) => {
        const target = new targets.CloudWatchLogGroup(new logs.LogGroup(stack, 'Log') as logs.ILogGroup);
        new events.Rule(stack, 'Rule', { eventPattern: { source: ['a'] }, targets: [target] });
      },
    ],
  ])('%s in a new way', (__, problem, build) => {
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
