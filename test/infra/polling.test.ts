import { Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { parseTick } from '../../functions/poller/tick-message.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { aFeed, aSource, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf } from './template.ts';

function withSource(props: Partial<SourceProps>, stack = newStack()) {
  const template = aFeed({ sources: [aSource(stack, props)] }, stack).template();
  return {
    schedule: resourceOf(template, 'AWS::Scheduler::Schedule', 'PollingSchedule').Properties,
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

test('several sources share one poller, each with its own schedule', () => {
  const stack = newStack();
  const sources = ['acme', 'globex'].map((name) => aSource(stack, { name }));
  const template = aFeed({ sources }, stack).template();

  const mapping = resourceOf(template, 'AWS::Lambda::EventSourceMapping', 'Poller').Properties;
  expect(resourcesOf(template, 'AWS::Scheduler::Schedule')).toHaveLength(4);
  expect(mapping.ScalingConfig.MaximumConcurrency).toBe(204);
});
