// The functions: their environments are as their code reads them, and times of functions and queues fit each other.
import { expect, test } from 'vitest';
import { parseDispatcherEnvironment } from '../../functions/dispatcher/dispatcher-environment.ts';
import { parsePollerEnvironment } from '../../functions/poller/poller-environment.ts';
import { parseRelayEnvironment } from '../../functions/relay/relay-environment.ts';
import { ReturnsChangeFeed } from '../../infra/returns-change-feed.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed, aFunction, aSource, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, templateOf } from './template.ts';

const stack = newStack();
const { feed, template } = aFeed({ pull: true }, stack);
feed.addOrderedSubscriber(aFunction(stack));
feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
const all = template();
const ACME = { token: { secretId: 'token/acme' }, baseUrl: 'https://returns.example.com/api' };
const functionOf = (id: string) => resourceOf(all, 'AWS::Lambda::Function', id).Properties;

test.each<[string, (environment: Record<string, string>) => object, object]>([
  ['Poller', parsePollerEnvironment, { FEED_NAME: feed.feedName, DECLARED_TOKENS: [ACME] }],
  ['Dispatcher', parseDispatcherEnvironment, {}],
  ['RelayToOrdered', parseRelayEnvironment, { DESTINATION: 'ordered' }],
  ['SweepToOrdered', parseRelayEnvironment, { DESTINATION: 'ordered' }],
  ['RelayToBus', parseRelayEnvironment, { DESTINATION: 'bus' }],
  ['SweepToBus', parseRelayEnvironment, { DESTINATION: 'bus' }],
  ['RelayToPull', parseRelayEnvironment, { DESTINATION: 'pull' }],
  ['SweepToPull', parseRelayEnvironment, { DESTINATION: 'pull' }],
])('%s can read its environment', (id, parse, expected) => {
  const ref = () => 'arn:aws:sns:eu-west-1:111122223333:name.fifo';

  const environment = resolve(functionOf(id).Environment.Variables, { ref, attribute: ref });

  expect(
    parse({
      ...environment,
      POLL_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/ticks',
      QUICK_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/shards',
    }),
  ).toMatchObject(expected);
});

test.each([
  ['PollingTicks', 'PollingPoller'],
  ['PollingShards', 'PollingPoller'],
  ['WebhooksWmsQueue', 'WebhooksWmsSender'],
])('messages of %s stay hidden for longer than %s may run', (queue, fn) => {
  const { VisibilityTimeout } = resourceOf(all, 'AWS::SQS::Queue', queue).Properties;

  expect(VisibilityTimeout).toBeGreaterThan(functionOf(fn).Timeout);
});

test.each(['Ordered', 'Bus', 'Pull'])("the sweep to %s is of its relay's code", (name) => {
  expect(functionOf(`SweepTo${name}`).Code).toEqual(functionOf(`RelayTo${name}`).Code);
  expect(functionOf(`SweepTo${name}`).Code).not.toEqual(functionOf('Poller').Code);
});

test('two feeds in an account have topics of their own names', () => {
  const other = newStack();
  aFeed({}, other);
  new ReturnsChangeFeed(other, 'Other', { sources: [aSource(other, { name: 'globex' })] });

  const names = resourcesOf(templateOf(other), 'AWS::SNS::Topic').map(([, it]) => it.Properties.TopicName);
  expect(new Set(names).size).toBe(2);
});
