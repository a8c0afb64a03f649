import { Duration } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { describe, expect, test } from 'vitest';
import { parsePollerEnvironment } from '../../functions/poller/poller-environment.ts';
import { parseTick } from '../../functions/poller/tick-message.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { aFeed, aSource, newStack, resourceOf, resourcesOf, statementsOf } from './synthesize.ts';

const { template } = aFeed();
const all = template();
const poller = resourceOf(all, 'AWS::Lambda::Function', 'PollingPoller').Properties;
const ticks = resourceOf(all, 'AWS::SQS::Queue', 'PollingTicks').Properties;
const schedule = resourceOf(all, 'AWS::Scheduler::Schedule', 'PollingSchedule').Properties;

/** Replaces the tokens that CloudFormation resolves, for tests that do not read their values. */
function filledIn(environment: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'https://sqs.eu-west-1.amazonaws.com/111122223333/name',
    ]),
  );
}

describe('the poller', () => {
  test('gets a complete environment', () => {
    const environment = parsePollerEnvironment(filledIn(poller.Environment.Variables));

    expect(environment.SOURCES_PATH).toMatch(/^\/[\w-]+\/sources$/);
  });

  test('names the feed in logs and metrics', () => {
    expect(poller.Environment.Variables).toMatchObject({
      POWERTOOLS_METRICS_NAMESPACE: 'ReturnsChangeFeed',
      POWERTOOLS_SERVICE_NAME: expect.stringMatching(/^[\w-]+$/),
    });
  });

  test('has a timeout of a minute, so that a tick ends before the next one', () => {
    expect(poller.Timeout).toBe(60);
  });

  test('gets one tick at a time, and has capacity for sources that a command adds', () => {
    const mapping = resourceOf(all, 'AWS::Lambda::EventSourceMapping', 'Poller').Properties;

    expect(mapping).toMatchObject({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 202 } });
  });
});

describe('the poll queue', () => {
  test('does not deliver a tick again while the poller may still process it', () => {
    expect(ticks.VisibilityTimeout).toBeGreaterThan(poller.Timeout);
  });

  test('drops old ticks', () => {
    expect(ticks.MessageRetentionPeriod).toBe(600);
  });

  test('moves failing ticks to the dead-letter queue', () => {
    expect(ticks.RedrivePolicy).toMatchObject({ maxReceiveCount: 3 });
  });
});

describe('the schedule of a source', () => {
  test('sends a tick that the poller can parse, with the scheduled time as its slot', () => {
    const input = schedule.Target.Input.replace('<aws.scheduler.scheduled-time>', '2026-11-21T03:56:00Z');

    expect(schedule.Target.Input).toContain('"slot":"<aws.scheduler.scheduled-time>"');
    expect(parseTick(input)).toEqual({
      source: 'acme',
      slot: Date.UTC(2026, 10, 21, 3, 56),
      opensMinute: true,
    });
  });

  test('drops a tick that is later than the next one, and reports it', () => {
    expect(schedule.Target.RetryPolicy.MaximumEventAgeInSeconds).toBe(60);
    expect(schedule.Target.DeadLetterConfig.Arn).toBeDefined();
  });

  test('may act only for schedules of its group in this account', () => {
    const role = resourceOf(all, 'AWS::IAM::Role', 'PollingSchedulesRole').Properties;

    expect(role.AssumeRolePolicyDocument.Statement[0].Condition.StringEquals).toEqual({
      'aws:SourceAccount': { Ref: 'AWS::AccountId' },
      'aws:SourceArn': { 'Fn::GetAtt': [expect.stringContaining('PollingSchedules'), 'Arn'] },
    });
  });

  test.each([
    [Duration.seconds(5), 'rate(1 minute)'],
    [Duration.minutes(1), 'rate(1 minute)'],
    [Duration.minutes(15), 'rate(15 minutes)'],
  ])('polls every %s', (interval, expected) => {
    const stack = newStack();
    const feed = aFeed({ sources: [aSource(stack, { interval })] }, stack);

    const own = resourceOf(feed.template(), 'AWS::Scheduler::Schedule', 'PollingSchedule').Properties;
    expect(own.ScheduleExpression).toBe(expected);
  });
});

describe('the parameter of a source', () => {
  test('contains its settings in the form of the poller, and the place of its token, but not the token', () => {
    const stack = newStack();
    const source = aSource(stack, {
      interval: Duration.seconds(10),
      baseline: 'emit',
      requestsPerMinute: 100,
      customerData: true,
      include: ['order_tags'],
      settle: Duration.minutes(2),
    });
    const feed = aFeed({ sources: [source] }, stack);
    const parameter = resourceOf(feed.template(), 'AWS::SSM::Parameter', 'Source').Properties;

    const { settings, token } = JSON.parse(parameter.Value);
    expect(sourceSettings.parse(settings)).toMatchObject({
      name: 'acme',
      intervalMs: 10_000,
      baseline: 'emit',
      requestsPerMinute: 100,
      customerData: true,
      include: ['order_tags'],
      settleMs: 120_000,
    });
    expect(token).toEqual({ secretId: 'token/acme' });
    expect(parameter.Name).toBe(
      `${poller.Environment.Variables.SOURCES_PATH.replace('/sources', '/stack-sources')}/acme`,
    );
  });

  test('refers to a secret by its full ARN if that is known', () => {
    const stack = newStack();
    const token = secretsmanager.Secret.fromSecretCompleteArn(
      stack,
      'Token',
      'arn:aws:secretsmanager:eu-west-1:111122223333:secret:acme-AbCdEf',
    );
    const feed = aFeed({ sources: [aSource(stack, { token })] }, stack);

    const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:acme-AbCdEf';
    const parameter = resourceOf(feed.template(), 'AWS::SSM::Parameter', 'Source').Properties;
    expect(JSON.parse(parameter.Value).token).toEqual({ secretId: arn });
    const readable = statementsOf(feed.template(), 'PollerRole').filter(({ actions }) =>
      actions.includes('secretsmanager:GetSecretValue'),
    );
    expect(readable.flatMap(({ resources }) => resources)).toContain(arn);
  });

  test('refers to a SecureString that only the poller may read', () => {
    const stack = newStack();
    const token = ssm.StringParameter.fromSecureStringParameterAttributes(stack, 'Token', {
      parameterName: '/tokens/acme',
    });
    const feed = aFeed({ sources: [aSource(stack, { token })] }, stack);

    const parameter = resourceOf(feed.template(), 'AWS::SSM::Parameter', 'Source').Properties;
    const readable = statementsOf(feed.template(), 'PollerRole').filter(({ actions }) =>
      actions.includes('ssm:GetParameter'),
    );
    expect(JSON.parse(parameter.Value).token).toEqual({ parameter: '/tokens/acme' });
    expect(
      readable.some(({ resources }) => resources.some((it) => it.includes('parameter/tokens/acme'))),
    ).toBe(true);
  });
});

test('several sources share one poller, each with its own schedule and parameter', () => {
  const stack = newStack();
  const sources = ['acme', 'globex'].map((name) => aSource(stack, { name }));
  const feed = aFeed({ sources }, stack);

  const mapping = resourceOf(feed.template(), 'AWS::Lambda::EventSourceMapping', 'Poller').Properties;
  const names = resourcesOf(feed.template(), 'AWS::SSM::Parameter').map(([, it]) => it.Properties.Name);
  expect(names).toEqual([expect.stringMatching(/\/acme$/), expect.stringMatching(/\/globex$/)]);
  expect(mapping.ScalingConfig.MaximumConcurrency).toBe(204);
});
