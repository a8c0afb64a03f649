import { expect, test } from 'vitest';
import { aFeed, aSource, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf } from './template.ts';

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
