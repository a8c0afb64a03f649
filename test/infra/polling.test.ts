import { Duration } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { describe, expect, test } from 'vitest';
import type { SourceProps } from '../../infra/source-props.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { aFeed, aSource, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, statementsOf } from './template.ts';

function withSource(props: Partial<SourceProps>, stack = newStack()) {
  const template = aFeed({ sources: [aSource(stack, props)] }, stack).template();
  return {
    parameter: resourceOf(template, 'AWS::SSM::Parameter', 'Source').Properties,
    allowed: statementsOf(template, 'PollerRole'),
  };
}

test('one schedule invokes the dispatcher each minute, with the scheduled time, however many sources there are', () => {
  const stack = newStack();
  const sources = ['acme', 'globex'].map((name) => aSource(stack, { name }));
  const template = aFeed({ sources }, stack).template();

  const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, it]) => it.Properties);
  const ofMinutes = schedules.filter(({ ScheduleExpression }) => ScheduleExpression === 'rate(1 minute)');
  expect(ofMinutes).toMatchObject([{ Target: { Input: '{"slot":"<aws.scheduler.scheduled-time>"}' } }]);
  expect(schedules).toHaveLength(3);
});

test.each([
  [undefined, [80, 20]],
  [4, [2, 2]],
  [1_000, [800, 200]],
])('with maxConcurrency %s ticks and shards have %j', (maxConcurrency, expected) => {
  const template = aFeed(maxConcurrency === undefined ? {} : { maxConcurrency }).template();

  const most = ['Ticks', 'Shards'].map(
    (queue) =>
      resourceOf(template, 'AWS::Lambda::EventSourceMapping', queue).Properties.ScalingConfig
        .MaximumConcurrency,
  );
  expect(most).toEqual(expected);
});

describe('the parameter of a source', () => {
  test('contains its settings in the form of the poller', () => {
    const { parameter } = withSource({
      ...{ interval: Duration.seconds(10), baseline: 'emit', requestsPerMinute: 100, customerData: true },
      ...{ include: ['order_tags'], settle: Duration.minutes(2) },
    });

    expect(sourceSettings.parse(JSON.parse(parameter.Value).settings)).toMatchObject({
      ...{ name: 'acme', intervalMs: 10_000, baseline: 'emit', requestsPerMinute: 100, customerData: true },
      ...{ include: ['order_tags'], settleMs: 120_000 },
    });
  });

  const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:acme-AbCdEf';

  test.each<[string, (stack: ReturnType<typeof newStack>) => SourceProps['token'], object, string]>([
    [
      'a secret by its name',
      (stack) => secretsmanager.Secret.fromSecretNameV2(stack, 'Token', 'token/acme'),
      { secretId: 'token/acme' },
      'secretsmanager:GetSecretValue .*:secret:token/acme-\\?{6}',
    ],
    [
      'a secret by its full ARN if that is known',
      (stack) => secretsmanager.Secret.fromSecretCompleteArn(stack, 'Token', ARN),
      { secretId: ARN },
      `secretsmanager:GetSecretValue ${ARN}$`,
    ],
    [
      'a SecureString',
      (stack) =>
        ssm.StringParameter.fromSecureStringParameterAttributes(stack, 'Token', {
          parameterName: '/tokens/acme',
        }),
      { parameter: '/tokens/acme' },
      'ssm:GetParameter .*parameter/tokens/acme',
    ],
  ])('refers to %s, which the poller may read', (_, tokenIn, place, right) => {
    const stack = newStack();

    const { parameter, allowed } = withSource({ token: tokenIn(stack) }, stack);

    const rights = allowed.flatMap(({ actions, resources }) => resources.map((it) => `${actions} ${it}`));
    expect(JSON.parse(parameter.Value).token).toEqual(place);
    expect(rights).toContainEqual(expect.stringMatching(right));
  });
});
