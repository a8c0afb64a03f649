import { readFileSync } from 'node:fs';
import { Duration, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { aFeed, aFunction, aSource, newStack, tokenByPrefix } from './synthesize.ts';
import { resourceOf, resourcesOf } from './template.ts';

const stack = newStack();
const watched = aFeed({ sources: [aSource(stack), aSource(stack, { name: 'globex' })] }, stack);
const ordered = watched.feed.addOrderedSubscriber(aFunction(stack));
watched.feed.addOrderedQueue('Erp', { alarmAfter: Duration.hours(1) });
watched.feed.onChange('Delivered', {
  entity: 'shipment',
  to: 'DELIVERED',
  target: aFunction(stack, 'OnBus'),
});
const all = watched.template();
const alarms = resourcesOf(all, 'AWS::CloudWatch::Alarm');

function alarmOf(id: string, template = all) {
  return resourceOf(template, 'AWS::CloudWatch::Alarm', id).Properties;
}

/** The runbook's headings as Markdown anchors. */
function anchors(): string[] {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  return [...runbook.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('every alarm names the harm and links an existing paragraph of the runbook', () => {
  const known = anchors();

  expect(alarms).toHaveLength(22);
  for (const [, { Properties }] of alarms) {
    const [, sentence = '', anchor = ''] =
      /^(.*\.) docs\/runbook\.md#(.*)$/.exec(Properties.AlarmDescription) ?? [];
    expect(sentence).toMatch(/[Ss]ubscriber/);
    expect(known).toContain(anchor);
  }
});

test.each([
  [Duration.seconds(5), 60, 5],
  [Duration.minutes(1), 60, 5],
  [Duration.minutes(2), 120, 3],
  [Duration.hours(1), 3_600, 3],
])('the alarm waits for three missed polls or five minutes at %s', (interval, Period, EvaluationPeriods) => {
  const own = newStack();
  const template = aFeed({ sources: [aSource(own, { interval })] }, own).template();

  const alarm = alarmOf('Freshnessacme', template);
  expect(alarm).toMatchObject({ Period, EvaluationPeriods });
  expect(alarm.Threshold).toBeLessThan(Math.max(60, interval.toSeconds()));
});

test('the age of the oldest event is a metric of one subscription', () => {
  const { dimensions } = watched.feed.metricQueueAge(ordered);

  expect(stack.resolve(dimensions?.QueueName)).toEqual({
    'Fn::GetAtt': [expect.stringContaining('SubscriberQueue'), 'QueueName'],
  });
});

test.each([
  ['DispatcherStopped', 'Invocations', 'BREACHING'],
  ['SourcesBehind', METRICS.sourcesBehind, 'BREACHING'],
  ['PolledLate', METRICS.secondsLate, 'NOTBREACHING'],
  ['InvalidEntries', METRICS.invalidEntries, 'NOTBREACHING'],
  ['Held', METRICS.holds, 'IGNORE'],
  ['SetAside', METRICS.setAsideGroups, 'IGNORE'],
])('%s watches all sources by %s; without data it is %s', (id, metric, missing) => {
  const { MetricName, Dimensions, TreatMissingData } = alarmOf(`Monitoring${id}`);

  expect({ MetricName, missing: TreatMissingData.toUpperCase() }).toEqual({
    MetricName: metric,
    missing: missing.toUpperCase(),
  });
  expect(Dimensions).toHaveLength(1);
});

test.each([
  ['ten sources', 10, {}, 10],
  ['eleven', 11, {}, 0],
  ['eleven that ask for it', 11, { alarm: true }, 11],
  ['two that do not want it', 2, { alarm: false }, 0],
])('of %s each has an alarm of its own, unless its settings decide', (_, count, props, expected) => {
  const own = newStack();
  const sources = Array.from({ length: count }, (_, at) =>
    aSource(own, { name: `s${at}`, token: tokenByPrefix(own, `s${at}`), ...props }),
  );

  const { feed, template } = aFeed({ sources }, own);

  const ids = resourcesOf(template(), 'AWS::CloudWatch::Alarm').map(([id]) => id);
  expect(ids.filter((id) => id.includes('Freshness'))).toHaveLength(expected);
  if (expected === 0) expect(() => feed.metricSecondsBehind('s0')).toThrow('set "alarm: true"');
});

test('the readers of a pull feed have an alarm of their own', () => {
  const { feed, template } = aFeed({ pull: true });

  const alarm = alarmOf('ReadersBehind', template());

  expect(alarm).toMatchObject({ MetricName: feed.metricReadersBehind().metricName, Threshold: 1 });
  expect(alarm.AlarmDescription).toContain('Subscribers that pull act on old states');
  expect(Object.keys(all.Resources).filter((id) => id.includes('ReadersBehind'))).toEqual([]);
});

test('a topic and rules without subscribers have no alarms for them', () => {
  const ids = resourcesOf(aFeed().template(), 'AWS::CloudWatch::Alarm').map(([id]) => id);

  expect(ids.filter((id) => /QueueWaits|LostBySns|BusDeadLetters/.test(id))).toEqual([]);
});

test('alarms run the configured action, also when they end', () => {
  const own = newStack();
  const alarmAction = new SnsAction(new sns.Topic(own, 'Alarms'));
  const template = aFeed({ alarmAction }, own).template();

  for (const [, { Properties }] of resourcesOf(template, 'AWS::CloudWatch::Alarm')) {
    expect(Properties.AlarmActions).toHaveLength(1);
    expect(Properties.OKActions).toEqual(Properties.AlarmActions);
  }
});

test('alarms link the configured runbook', () => {
  const template = aFeed({ runbookUrl: 'https://wiki.example.com/returns' }).template();

  expect(alarmOf('Freshnessacme', template).AlarmDescription).toContain(
    ' https://wiki.example.com/returns#a-source-is-not-being-read',
  );
});

test('the dashboard shows every watched metric, and queries the log for the rest', () => {
  const dashboard = resourceOf(all, 'AWS::CloudWatch::Dashboard', 'Dashboard').Properties;
  const body = JSON.stringify(Stack.of(stack).resolve(dashboard.DashboardBody));

  for (const part of [
    ...[METRICS.secondsBehind, METRICS.holds, METRICS.setAsideGroups, 'IteratorAge'],
    ...[METRICS.sourcesDue, METRICS.sourcesPolled, METRICS.sourcesBehind, METRICS.secondsLate],
    ...['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible'],
    ...['sum(requests) * 100 / 480', 'sum(rateLimited)', 'sum(events)', 'sum(foundByWalks)'],
    ...['Subscriber', 'failed by Subscriber', 'not delivered to Subscriber', 'failed by Erp'].map(
      (label) => `\\"label\\":\\"${label}\\"`,
    ),
  ])
    expect(body).toContain(part);
});

test('the dashboard is optional', () => {
  const template = aFeed({ dashboard: false }).template();

  expect(resourcesOf(template, 'AWS::CloudWatch::Dashboard')).toEqual([]);
});
