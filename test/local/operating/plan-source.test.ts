// Compares the resources of `sources add` with the construct's for the same source.
import { Duration } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import type { TokenPlace } from '../../../functions/adapters/ssm-source-directory.ts';
import { parseTick } from '../../../functions/poller/tick-message.ts';
import {
  alarmLike,
  checkTokenName,
  type NewSource,
  scheduleLike,
  sourceOfSchedule,
} from '../../../local/operating/plan-source.ts';
import { METRICS } from '../../../shared/deployment/metrics.ts';
import { aFeed, aSource, newStack } from '../../infra/synthesize.ts';
import { resourceOf, resourcesOf, statementsOf } from '../../infra/template.ts';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:globex-AbCdEf';

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
    requestsPerMinute: 40,
  },
  token: { secretId: SECRET },
};

function pathOf(of: typeof template): string {
  const { Variables } = resourceOf(of, 'AWS::Lambda::Function', 'Poller').Properties.Environment;
  return `/${Variables.FEED_NAME}/sources`;
}

/** The resources of both sources, in order. */
function both(type: string, idHolds: string) {
  const [first, second] = resourcesOf(template, type).filter(([id]) => id.includes(idHolds));
  return [first?.[1].Properties, second?.[1].Properties];
}

test('the schedule has the same target, and equals the construct’s except for its name', () => {
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

test('the alarm equals the construct’s, and notifies the same topic', () => {
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

test('the poller may read tokens with allowed names, and the command rejects all others', () => {
  const path = pathOf(template);
  const service = path.split('/')[1];
  const arnOf = (rest: string) =>
    `arn:aws:${rest.startsWith('secret') ? 'secretsmanager' : 'ssm'}:eu-west-1:111122223333:${rest}`;
  const check = (token: TokenPlace, rest: string) => () =>
    checkTokenName(path, { ...added, token }, arnOf(rest));
  const names = `${service}/tokens/globex.example.com/`;
  const secret = `secret:${names}main-AbCdEf`;
  const parameter = `parameter/${names}main`;

  expect(check({ secretId: 'globex' }, secret)).not.toThrow();
  expect(check({ parameter: 'globex' }, parameter)).not.toThrow();
  for (const other of ['other', `${service}/tokens/main`, `${service}/tokens/acme.example.com/main`]) {
    expect(check({ secretId: 'other' }, `secret:${other}-AbCdEf`)).toThrow(`must begin with ${names},`);
    expect(check({ parameter: '/other' }, `parameter/${other}`)).toThrow(`must begin with /${names},`);
  }
  const readable = statementsOf(template, 'PollerRole').flatMap(({ resources }) => resources);
  for (const rest of [secret, parameter])
    expect(readable.filter((resource) => covers(resource, rest))).toHaveLength(1);
});

/** Whether a policy's resource, as JSON, ends with a pattern that matches this. */
function covers(resource: string, rest: string): boolean {
  const [, pattern = ''] = /((?:secret:|parameter\/).*)\*/.exec(resource) ?? [];
  return pattern !== '' && rest.startsWith(pattern);
}

test('a schedule of another kind does not belong to a source', () => {
  expect(sourceOfSchedule({ Target: undefined, $metadata: {} })).toBeUndefined();
});
