// What `sources add` makes, beside what the construct makes of the same source.
import { Duration } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import { parseStoredSource } from '../../../functions/adapters/ssm-source-directory.ts';
import { parseTick } from '../../../functions/poller/tick-message.ts';
import {
  alarmLike,
  type NewSource,
  parameterText,
  policyText,
  scheduleLike,
  sourceOfSchedule,
} from '../../../local/operating/plan-source.ts';
import { METRICS } from '../../../shared/metrics.ts';
import { aFeed, aSource, newStack, resourcesOf } from '../../infra/synthesize.ts';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:globex-AbCdEf';
const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:ticks';

const stack = newStack();
const acme = aSource(stack);
const globex = aSource(stack, {
  name: 'globex',
  baseUrl: 'https://globex.example.com',
  interval: Duration.minutes(10),
  requestsPerMinute: 40,
  token: secretsmanager.Secret.fromSecretCompleteArn(stack, 'Globex', SECRET),
});
const template = aFeed({ sources: [acme, globex] }, stack).template();
const added: NewSource = {
  settings: {
    name: 'globex',
    baseUrl: 'https://globex.example.com',
    intervalMs: 600_000,
    reconcileMs: 43_200_000,
    requestsPerMinute: 40,
  },
  token: { secretId: SECRET },
  tokenArn: SECRET,
  tokenKeyArn: undefined,
};

/** Of both sources, in their order. */
function both(type: string, idHolds: string) {
  const [first, second] = resourcesOf(template, type).filter(([id]) => id.includes(idHolds));
  return [first?.[1].Properties, second?.[1].Properties];
}

test('the parameter is the construct’s', () => {
  const [, made] = both('AWS::SSM::Parameter', 'Source');

  expect(JSON.parse(parameterText(added))).toEqual(JSON.parse(made.Value));
  expect(parseStoredSource('globex', parameterText(added)).settings).toMatchObject({ intervalMs: 600_000 });
});

test('the schedule goes where the other’s goes, and is the construct’s but for its name', () => {
  const [other, made] = both('AWS::Scheduler::Schedule', 'PollingSchedule');
  const like = { ...other, GroupName: 'schedules', $metadata: {} };

  const schedule = scheduleLike(like, added.settings);

  expect(schedule).toMatchObject({
    Name: 'source-globex',
    GroupName: 'schedules',
    ScheduleExpression: made.ScheduleExpression,
    FlexibleTimeWindow: made.FlexibleTimeWindow,
  });
  expect(schedule.Target).toEqual({ ...made.Target, Input: expect.anything() });
  expect(JSON.parse(schedule.Target?.Input ?? '')).toEqual(JSON.parse(made.Target.Input));
  const tick =
    schedule.Target?.Input?.replace('<aws.scheduler.scheduled-time>', '2026-11-21T03:56:00Z') ?? '';
  expect(parseTick(tick)).toMatchObject({ source: 'globex', opensMinute: true });
  expect(sourceOfSchedule({ ...schedule, $metadata: {} } as never)).toBe('globex');
});

test('the alarm is the construct’s, and tells whom the other’s tells', () => {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties)
    .filter(({ MetricName }) => MetricName === METRICS.secondsBehind);
  const [other, made] = alarms;
  const like = { ...other, AlarmActions: ['mail'] };
  const path = `/${made.Dimensions.find(({ Name }: { Name: string }) => Name === 'service').Value}/sources`;

  const alarm = alarmLike(like, { path, from: 'acme', settings: added.settings });

  const { AlarmName, AlarmActions, OKActions, ...rest } = alarm;
  expect(rest).toEqual({ ...made, Dimensions: expect.arrayContaining(made.Dimensions) });
  expect({ AlarmName, AlarmActions }).toEqual({
    AlarmName: expect.stringMatching(/-Freshness-globex$/),
    AlarmActions: ['mail'],
  });
});

test('the poller may read this parameter and this token, and nothing else', () => {
  const policy = JSON.parse(policyText(added, { path: '/feed/sources', queueArn: QUEUE }));

  expect(policy.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'ssm:GetParameter',
      Resource: 'arn:aws:ssm:eu-west-1:111122223333:parameter/feed/sources/globex',
    },
    { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: SECRET },
  ]);
});

test('a token under a key of one’s own can be decrypted, through its service alone', () => {
  const tokenArn = 'arn:aws:ssm:eu-west-1:111122223333:parameter/tokens/globex';
  const tokenKeyArn = 'arn:aws:kms:eu-west-1:111122223333:key/1';
  const source = { ...added, token: { parameter: '/tokens/globex' }, tokenArn, tokenKeyArn };

  const policy = JSON.parse(policyText(source, { path: '/feed/sources', queueArn: QUEUE }));

  expect(policy.Statement.slice(1)).toEqual([
    { Effect: 'Allow', Action: 'ssm:GetParameter', Resource: tokenArn },
    {
      Effect: 'Allow',
      Action: 'kms:Decrypt',
      Resource: tokenKeyArn,
      Condition: { StringEquals: { 'kms:ViaService': 'ssm.eu-west-1.amazonaws.com' } },
    },
  ]);
});

test('a schedule of something else is none of a source', () => {
  expect(sourceOfSchedule({ Target: undefined, $metadata: {} })).toBeUndefined();
});
