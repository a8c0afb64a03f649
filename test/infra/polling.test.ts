import { Duration } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { describe, expect, test } from 'vitest';
import { parseTick } from '../../functions/poller/tick-message.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { aFeed, aSource, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, statementsOf } from './template.ts';

function withSource(props: Partial<SourceProps>, stack = newStack()) {
  const template = aFeed({ sources: [aSource(stack, props)] }, stack).template();
  return {
    schedule: resourceOf(template, 'AWS::Scheduler::Schedule', 'PollingSchedule').Properties,
    parameter: resourceOf(template, 'AWS::SSM::Parameter', 'Source').Properties,
    allowed: statementsOf(template, 'PollerRole'),
  };
}

describe('the schedule of a source', () => {
  test('sends a tick that the poller can parse, with the scheduled time as its slot', () => {
    const { Input } = withSource({}).schedule.Target;

    const input = Input.replace('<aws.scheduler.scheduled-time>', '2026-11-21T03:56:00Z');

    expect(Input).toContain('"slot":"<aws.scheduler.scheduled-time>"');
    expect(parseTick(input)).toEqual({
      source: 'acme',
      slot: Date.UTC(2026, 10, 21, 3, 56),
      opensMinute: true,
    });
  });

  test.each([
    [Duration.seconds(5), 'rate(1 minute)'],
    [Duration.minutes(1), 'rate(1 minute)'],
    [Duration.minutes(15), 'rate(15 minutes)'],
  ])('polls every %s', (interval, expected) => {
    expect(withSource({ interval }).schedule.ScheduleExpression).toBe(expected);
  });
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

test('several sources share one poller, each with its own schedule and parameter', () => {
  const stack = newStack();
  const sources = ['acme', 'globex'].map((name) => aSource(stack, { name }));
  const template = aFeed({ sources }, stack).template();

  const mapping = resourceOf(template, 'AWS::Lambda::EventSourceMapping', 'Poller').Properties;
  const names = resourcesOf(template, 'AWS::SSM::Parameter').map(([, it]) => it.Properties.Name);
  expect(names).toEqual([expect.stringMatching(/\/acme$/), expect.stringMatching(/\/globex$/)]);
  expect(resourcesOf(template, 'AWS::Scheduler::Schedule')).toHaveLength(4);
  expect(mapping.ScalingConfig.MaximumConcurrency).toBe(204);
});
