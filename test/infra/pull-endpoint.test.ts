// The pull feed's function is the one that anyone may call, by its URL alone.
import { expect, test } from 'vitest';
import { parsePullEnvironment } from '../../functions/pull/pull-environment.ts';
import { LONG_POLL_MS } from '../../shared/pulling/answer-read.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed } from './synthesize.ts';
import { resourceOf, resourcesOf } from './template.ts';

const all = aFeed({ pull: true }).template();
const served = resourceOf(all, 'AWS::Lambda::Function', 'FeedPull').Properties;

const openToAnyone = (template = all) =>
  resourcesOf(template, 'AWS::Lambda::Permission')
    .map(([, { Properties }]) => Properties)
    .filter(({ Principal }) => Principal === '*');

test('anyone may call it by its URL, and no other function', () => {
  expect(openToAnyone()).toMatchObject([
    { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' },
    { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
  ]);
  expect(openToAnyone(aFeed().template())).toEqual([]);
});

test('it can read its environment', () => {
  const ref = () => 'a-name';

  expect(() =>
    parsePullEnvironment(resolve(served.Environment.Variables, { ref, attribute: ref })),
  ).not.toThrow();
});

test('it runs for longer than a long poll waits, and a bounded number of times at once', () => {
  const bounded = aFeed({ pull: { maxConcurrency: 5 } }).template();

  expect(served.Timeout).toBeGreaterThan(LONG_POLL_MS / 1_000 + 5);
  expect(served.ReservedConcurrentExecutions).toBe(20);
  expect(
    resourceOf(bounded, 'AWS::Lambda::Function', 'FeedPull').Properties.ReservedConcurrentExecutions,
  ).toBe(5);
});

test.each([0, 1.5, -1])('it is refused for %d requests at once', (maxConcurrency) => {
  expect(() => aFeed({ pull: { maxConcurrency } })).toThrow('pull.maxConcurrency must be a whole number');
});

test('without `pull` there is no pull feed, and no metric of its relay', () => {
  const { feed, template } = aFeed();

  expect(Object.keys(template().Resources).filter((id) => id.includes('Pull'))).toEqual([]);
  expect(() => feed.metricRelayAge('pull')).toThrow('set the property `pull`');
});
