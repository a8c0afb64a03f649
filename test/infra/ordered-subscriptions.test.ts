import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { MOST_SUBSCRIPTIONS } from '../../infra/check-subscription.ts';
import type { EventFilter } from '../../infra/returns-change-feed.ts';
import { aFeed, aFunction, newStack, resourceOf, resourcesOf, statementsOf } from './synthesize.ts';

const SUBSCRIPTION = 'AWS::SNS::Subscription';

/** Subscribes two functions and a queue, one of them with a filter. */
function threeSubscriptions() {
  const synthesis = aFeed();
  const { feed, stack, template } = synthesis;
  feed.addOrderedSubscriber(aFunction(stack, 'Warehouse'), { maxConcurrency: 20 });
  feed.addOrderedSubscriber(aFunction(stack, 'Mails'), { filter: { to: ['DELIVERED'], sources: ['acme'] } });
  feed.addOrderedQueue('Erp');
  return { ...synthesis, all: template() };
}

const { all } = threeSubscriptions();
const [topicId = ''] = resourcesOf(all, 'AWS::SNS::Topic').map(([id]) => id);

function arnOf(type: string, text: string) {
  const [[id]] = resourcesOf(all, type).filter(([it]) => it.includes(text)) as [[string, unknown]];
  return { 'Fn::GetAtt': [id, 'Arn'] };
}

describe.each(['Warehouse', 'Mails', 'Erp'])('the subscription of %s', (name) => {
  const subscription = resourceOf(all, SUBSCRIPTION, name).Properties;
  const queue = resourceOf(all, 'AWS::SQS::Queue', `${name}Queue`).Properties;

  test('gets the events of the topic as they were published', () => {
    expect(subscription).toMatchObject({
      TopicArn: { Ref: topicId },
      Protocol: 'sqs',
      Endpoint: arnOf('AWS::SQS::Queue', `${name}Queue`),
      RawMessageDelivery: true,
    });
  });

  test('keeps each return group in order, however many there are', () => {
    expect(queue).toMatchObject({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    expect(queue.ContentBasedDeduplication).toBeUndefined();
  });

  test('keeps events for two weeks while its consumer is down', () => {
    expect(queue.MessageRetentionPeriod).toBe(14 * 86_400);
  });

  test('moves an event that fails repeatedly to the dead-letter queue, so that its group continues', () => {
    expect(queue.RedrivePolicy).toEqual({
      maxReceiveCount: 10,
      deadLetterTargetArn: arnOf('AWS::SQS::Queue', `${name}DeadLetters`),
    });
  });

  test('has a second dead-letter queue, also FIFO, for events that SNS can not deliver', () => {
    const undelivered = resourceOf(all, 'AWS::SQS::Queue', `${name}Undelivered`).Properties;

    expect(subscription.RedrivePolicy).toEqual({
      deadLetterTargetArn: arnOf('AWS::SQS::Queue', `${name}Undelivered`),
    });
    expect(undelivered).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 14 * 86_400 });
  });

  test.each(['Queue', 'Undelivered'])('lets only the topic send to its %s, and only by TLS', (part) => {
    const policy = resourceOf(all, 'AWS::SQS::QueuePolicy', `${name}${part}`).Properties;

    expect(policy.PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        ...{ Effect: 'Deny', Action: 'sqs:*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      {
        ...{ Effect: 'Allow', Action: 'sqs:SendMessage' },
        Principal: { Service: 'sns.amazonaws.com' },
        Resource: arnOf('AWS::SQS::Queue', `${name}${part}`),
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: topicId } } },
      },
    ]);
  });

  test('is created after the policies, without which SNS would drop events', () => {
    const { DependsOn } = all.findResources(SUBSCRIPTION)[
      resourcesOf(all, SUBSCRIPTION).find(([id]) => id.includes(name))?.[0] ?? ''
    ] as { DependsOn: string[] };

    expect(DependsOn).toEqual([
      expect.stringContaining(`${name}QueuePolicy`),
      expect.stringContaining(`${name}UndeliveredPolicy`),
    ]);
  });
});

test('the relay of a new stack waits for the subscriptions of its stack, or their first events would be lost', () => {
  const [relay] = Object.entries(all.findResources('AWS::Lambda::Function')).filter(([id]) =>
    id.includes('RelayToOrdered'),
  );

  for (const [id] of resourcesOf(all, SUBSCRIPTION)) expect(relay?.[1].DependsOn).toContain(id);
});

describe('the filter', () => {
  test('is a policy on the attributes of the message', () => {
    expect(resourceOf(all, SUBSCRIPTION, 'Mails').Properties).toMatchObject({
      FilterPolicyScope: 'MessageAttributes',
      FilterPolicy: { source: ['/sources/acme'], to: ['DELIVERED'] },
    });
  });

  test.each([undefined, {}, { sources: ['acme'] }])(
    '%j matches all changes, and no event of the feed itself',
    (filter) => {
      const { feed, template } = aFeed();
      feed.addOrderedQueue('Erp', filter === undefined ? {} : { filter });

      const subscription = resourceOf(template(), SUBSCRIPTION, 'Erp').Properties;
      expect(subscription.FilterPolicyScope).toBe('MessageAttributes');
      expect(subscription.FilterPolicy).toEqual({
        ...(filter?.sources && { source: ['/sources/acme'] }),
        entity: [{ 'anything-but': ['feed'] }],
      });
    },
  );

  test('matches feed.source_read if it names that type', () => {
    const { feed, template } = aFeed();
    const types = ['shipment.status_changed', 'feed.source_read'] as const;
    feed.addOrderedQueue('Erp', { filter: { types } });

    expect(resourceOf(template(), SUBSCRIPTION, 'Erp').Properties.FilterPolicy).toEqual({ type: types });
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
  test('is invoked with events of its queue, and reports failures for each of them', () => {
    const mapping = resourceOf(all, 'AWS::Lambda::EventSourceMapping', 'Warehouse').Properties;

    expect(mapping).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 20 },
      EventSourceArn: arnOf('AWS::SQS::Queue', 'WarehouseQueue'),
    });
  });

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

    const [here, there] = [Template.fromStack(stack), Template.fromStack(elsewhere)];
    there.resourceCountIs('AWS::SQS::Queue', 3);
    there.resourceCountIs(SUBSCRIPTION, 1);
    there.resourceCountIs('AWS::CloudWatch::Alarm', 3);
    here.resourceCountIs(SUBSCRIPTION, 1);
    expect(JSON.stringify(here)).not.toContain('Elsewhere');
    const alarm = resourceOf(there, 'AWS::CloudWatch::Alarm', 'QueueWaits').Properties;
    expect(alarm.AlarmDescription).toContain('Elsewhere/Subscriber');
  });
});

describe('a queue', () => {
  test('allows its consumer to receive and delete events, and no other action', () => {
    const { feed, stack, template } = aFeed();
    const worker = new iam.Role(stack, 'Worker', { assumedBy: new iam.AccountRootPrincipal() });
    const { queue } = feed.addOrderedQueue('Erp');
    feed.addOrderedQueue('Other');
    const subscription = feed.addOrderedQueue('Third');
    subscription.grantConsume(worker);

    const [statement, ...others] = statementsOf(template(), 'Worker');
    expect(others).toEqual([]);
    expect(statement?.actions).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ]);
    expect(statement?.resources).toEqual([expect.stringContaining('ThirdQueue')]);
    expect(queue).not.toBe(subscription.queue);
  });

  test("may be decrypted by its consumer, if the account's own key encrypts it", () => {
    const stack = newStack();
    const { feed, template } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);
    const worker = new iam.Role(stack, 'Worker', { assumedBy: new iam.AccountRootPrincipal() });
    feed.addOrderedQueue('Erp').grantConsume(worker);

    const actions = statementsOf(template(), 'Worker').flatMap((it) => it.actions);
    expect(actions).toContain('kms:Decrypt');
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
