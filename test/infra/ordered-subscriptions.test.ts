import { App, Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { MOST_SUBSCRIPTIONS } from '../../infra/check-subscription.ts';
import type { EventFilter } from '../../infra/returns-change-feed.ts';
import { filterPolicy } from '../../shared/contract/event-filter.ts';
import { aFeed, aFunction, newStack } from './synthesize.ts';
import { resourceOf, resourcesOf, statementsOf, templateOf } from './template.ts';

describe('the filter', () => {
  test.each<EventFilter>([
    {},
    { sources: ['acme'] },
    { to: ['DELIVERED'], sources: ['acme'] },
    { types: ['shipment.status_changed', 'feed.source_read'] },
  ])('%j is a policy on the attributes of the message', (filter) => {
    const { feed, template } = aFeed();
    feed.addOrderedQueue('Erp', { filter });

    expect(resourceOf(template(), 'AWS::SNS::Subscription', 'Erp').Properties).toMatchObject({
      FilterPolicyScope: 'MessageAttributes',
      FilterPolicy: filterPolicy(filter),
    });
  });

  test.each<[string, unknown, string]>([
    [
      'a source that the feed does not have',
      { sources: ['acme', 'globex'] },
      'no source "globex": write one of "acme"',
    ],
    ['an unknown status', { to: ['ARRIVED'] }, 'filter.to.0'],
    ['an unknown key', { stores: ['acme'] }, 'stores'],
    [
      'conditions that no event meets',
      { entities: ['shipment'], types: ['return_line_item.created'] },
      'lets nothing pass',
    ],
  ])('with %s is refused', (_, filter, problem) => {
    const { feed } = aFeed();

    expect(() => feed.addOrderedQueue('Erp', { filter: filter as EventFilter })).toThrow(problem);
  });

  test('and other options are refused with all their problems at once', () => {
    const { feed } = aFeed();
    feed.addOrderedQueue('Erp');
    const filter = { sources: ['globex'], to: ['ARRIVED'] } as unknown as EventFilter;

    const add = () => feed.addOrderedQueue('Erp', { filter, visibilityTimeout: Duration.hours(13) });

    expect(add).toThrow(
      /subscription Erp is invalid:\n- .* id .*\n- .*globex.*\n- .*filter\.to.*\n- visibility/,
    );
  });
});

describe('a function', () => {
  test.each([
    [undefined, undefined, 18],
    [Duration.minutes(1), undefined, 360],
    [Duration.minutes(15), undefined, 5_400],
    [Duration.minutes(1), Duration.minutes(2), 120],
  ])('with a timeout of %s gets a sufficient visibility timeout', (timeout, visibilityTimeout, expected) => {
    const { feed, stack, template } = aFeed();
    feed.addOrderedSubscriber(
      aFunction(stack, 'Subscriber', timeout),
      visibilityTimeout === undefined ? {} : { visibilityTimeout },
    );

    const queue = resourceOf(template(), 'AWS::SQS::Queue', 'SubscriberQueue').Properties;
    expect(queue.VisibilityTimeout).toBe(expected);
  });

  test.each([Duration.seconds(59), Duration.hours(13)])(
    'is refused with a visibility timeout of %s, which Lambda or SQS would refuse at the deployment',
    (visibilityTimeout) => {
      const { feed, stack } = aFeed();
      const fn = aFunction(stack, 'Subscriber', Duration.minutes(1));

      expect(() => feed.addOrderedSubscriber(fn, { visibilityTimeout })).toThrow(
        /visibilityTimeout must be at least the timeout of Shop\/Subscriber, 60 seconds, and at most 12 hours/,
      );
    },
  );

  test('that is already subscribed is refused', () => {
    const { feed, stack } = aFeed();
    const fn = aFunction(stack);
    feed.addOrderedSubscriber(fn);

    expect(() => feed.addOrderedSubscriber(fn, { filter: { sources: ['acme'] } })).toThrow(
      /Subscriber is invalid:\n- The function is already subscribed: add it once, with a filter/,
    );
  });

  test('that is imported can be subscribed', () => {
    const { feed, stack, template } = aFeed();
    const functionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:theirs';
    const role = iam.Role.fromRoleName(stack, 'TheirRole', 'theirs');
    const theirs = lambda.Function.fromFunctionAttributes(stack, 'Theirs', { functionArn, role });
    feed.addOrderedSubscriber(theirs);

    const queue = resourceOf(template(), 'AWS::SQS::Queue', 'TheirsQueue').Properties;
    expect(queue.VisibilityTimeout).toBe(360);
  });

  test('of another stack has its queues, subscription and alarms there, and leaves the feed as it is', () => {
    const stack = newStack();
    const { feed } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);
    const elsewhere = new Stack(App.of(stack) as App, 'Elsewhere');
    feed.addOrderedSubscriber(aFunction(stack));
    feed.addOrderedSubscriber(aFunction(elsewhere));

    const [here, there] = [templateOf(stack), templateOf(elsewhere)];
    expect(resourcesOf(there, 'AWS::SQS::Queue')).toHaveLength(3);
    expect(resourcesOf(there, 'AWS::SNS::Subscription')).toHaveLength(1);
    expect(resourcesOf(there, 'AWS::CloudWatch::Alarm')).toHaveLength(3);
    expect(resourcesOf(here, 'AWS::SNS::Subscription')).toHaveLength(1);
    expect(JSON.stringify(here)).not.toContain('Elsewhere');
    const alarm = resourceOf(there, 'AWS::CloudWatch::Alarm', 'QueueWaits').Properties;
    expect(alarm.AlarmDescription).toContain('Elsewhere/Subscriber');
  });
});

describe('a queue', () => {
  test("lets its consumer receive, delete and decrypt events, and nothing else, also with the account's own key", () => {
    const stack = newStack();
    const { feed, template } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);
    const worker = new iam.Role(stack, 'Worker', { assumedBy: new iam.AccountRootPrincipal() });
    feed.addOrderedQueue('Other');
    feed.addOrderedQueue('Erp').grantConsume(worker);

    const [statement, ...others] = statementsOf(template(), 'Worker');
    expect(others.map(({ actions }) => actions)).toEqual([['kms:Decrypt']]);
    expect(statement).toMatchObject({
      actions: [
        'sqs:ChangeMessageVisibility',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
      ],
      resources: [expect.stringContaining('ErpQueue')],
    });
  });

  test('with an id that is in use is refused', () => {
    const { feed } = aFeed();
    feed.addOrderedQueue('Erp');

    expect(() => feed.addOrderedQueue('Erp')).toThrow(
      'The ordered subscription Erp is invalid:\n- The id is in use by another subscription',
    );
  });

  test('beyond the number of subscriptions that a topic may have is refused', () => {
    const { feed } = aFeed({ dashboard: false });
    for (let count = 0; count < MOST_SUBSCRIPTIONS; count += 1) feed.addOrderedQueue(`Queue${count}`);

    expect(() => feed.addOrderedQueue('OneMore')).toThrow(
      /The topic has 100 subscriptions, and SNS allows no more: .* use the bus/,
    );
  });
});
