import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { changePattern } from '../../shared/contract/event-pattern.ts';
import { compileEventPattern } from '../engines/event-pattern.ts';
import { aFeed, aFunction, resourceOf, resourcesOf, statementsOf } from './synthesize.ts';

describe('a rule on a change', () => {
  /** Returns whether the rule for these options matches an event of the bus. */
  function takes(
    options: Omit<Parameters<ReturnType<typeof aFeed>['feed']['onChange']>[1], 'target'>,
    event: { type?: string; source?: string; status?: string; from?: string; changed?: string[] },
  ): boolean {
    const { feed, stack, template } = aFeed();
    feed.onChange('Rule', { ...options, target: aFunction(stack) });
    const rule = resourceOf(template(), 'AWS::Events::Rule', 'BusSubscribersRule').Properties;
    const { type = 'shipment.status_changed', source = 'acme', status = 'DELIVERED', from, changed } = event;
    return compileEventPattern(rule.EventPattern)({
      source: `returns-change-feed.${source}`,
      'detail-type': type,
      detail: {
        data: {
          object: { status },
          ...(from === undefined ? {} : { previous_attributes: { status: from } }),
          ...(changed && { changed }),
        },
      },
    });
  }
  const delivered = { entity: 'shipment', to: 'DELIVERED' } as const;

  test('matches a change to the status, and an entity first seen with it', () => {
    expect(takes(delivered, { from: 'IN_TRANSIT' })).toBe(true);
    expect(takes(delivered, { type: 'shipment.created' })).toBe(true);
  });

  test('matches no other status, entity or change', () => {
    expect(takes(delivered, { status: 'IN_TRANSIT' })).toBe(false);
    expect(takes(delivered, { type: 'return_line_item.status_changed' })).toBe(false);
    expect(takes(delivered, { type: 'shipment.updated' })).toBe(false);
  });

  test('matches any of several statuses', () => {
    const options = { entity: 'return_line_item', to: ['COMPLETED', 'CANCELED'] } as const;

    expect(takes(options, { type: 'return_line_item.status_changed', status: 'CANCELED' })).toBe(true);
    expect(takes(options, { type: 'return_line_item.status_changed', status: 'OPEN' })).toBe(false);
  });

  test('with a previous status matches only changes from that status', () => {
    const options = { ...delivered, from: 'IN_TRANSIT' } as const;

    expect(takes(options, { from: 'IN_TRANSIT' })).toBe(true);
    expect(takes(options, { from: 'DRAFT' })).toBe(false);
    expect(takes(options, { type: 'shipment.created' })).toBe(false);
  });

  test('with a changed field matches its changes, whatever the status, and no first sight', () => {
    const options = { entity: 'shipment', changed: ['carrier', 'tracking_number'] } as const;

    expect(takes(options, { type: 'shipment.updated', changed: ['tracking_number'] })).toBe(true);
    expect(takes(options, { changed: ['status', 'carrier'] })).toBe(true);
    expect(takes(options, { changed: ['status'] })).toBe(false);
    expect(takes(options, { type: 'shipment.created' })).toBe(false);
  });

  test('without a condition is refused', () => {
    expect(() => takes({ entity: 'shipment' }, {})).toThrow('to, from or changed');
  });

  test('with a source matches only that source', () => {
    expect(takes({ ...delivered, sources: ['acme'] }, {})).toBe(true);
    expect(takes({ ...delivered, sources: ['acme'] }, { source: 'acme-2' })).toBe(false);
  });

  test('with an unknown source is refused', () => {
    expect(() => takes({ ...delivered, sources: ['globex'] }, {})).toThrow(
      'There is no source "globex": write one of "acme".',
    );
  });

  test('loses no event: undeliverable and failed events go to dead-letter queues', () => {
    const { feed, stack, template } = aFeed();
    const fn = aFunction(stack);
    feed.onChange('One', { ...delivered, target: fn });
    feed.onChange('Two', { entity: 'exchange_line_item', to: 'PROCESSED', target: fn });

    const rule = resourceOf(template(), 'AWS::Events::Rule', 'SubscribersOne').Properties;
    const invoked = resourcesOf(template(), 'AWS::Lambda::EventInvokeConfig').filter(([id]) =>
      id.startsWith('Subscriber'),
    );
    expect(rule.Targets[0].DeadLetterConfig.Arn['Fn::GetAtt'][0]).toContain('BusSubscribersDeadLetters');
    expect(rule.Targets[0].RetryPolicy).toMatchObject({ MaximumEventAgeInSeconds: 86_400 });
    expect(invoked).toHaveLength(1);
  });

  test('for a function in another stack is created with all permissions', () => {
    const { feed, stack } = aFeed();
    const elsewhere = new Stack(App.of(stack) as App, 'Elsewhere');
    feed.onChange('One', { ...delivered, target: aFunction(elsewhere) });
    feed.onChange('Two', { ...delivered, target: aFunction(elsewhere, 'Second') });

    const there = Template.fromStack(elsewhere);
    const here = Template.fromStack(stack);
    const [queue, ...others] = resourcesOf(there, 'AWS::SQS::Queue').map(([id]) => id);
    const alarm = resourceOf(there, 'AWS::CloudWatch::Alarm', 'BusDeadLetters').Properties;
    const rules = resourcesOf(there, 'AWS::Events::Rule').map(([, { Properties }]) => Properties);
    expect(others).toEqual([]);
    expect(alarm.Dimensions[0].Value).toEqual({ 'Fn::GetAtt': [queue, 'QueueName'] });
    expect(rules).toHaveLength(2);
    for (const { Targets } of rules)
      expect(Targets[0].DeadLetterConfig.Arn).toEqual({ 'Fn::GetAtt': [queue, 'Arn'] });
    expect(JSON.stringify(here)).not.toContain('Elsewhere');
  });

  test('may have any target', () => {
    const { feed, stack, template } = aFeed();
    feed.onChange('Rule', { ...delivered, target: new targets.SqsQueue(new sqs.Queue(stack, 'Theirs')) });

    const rule = resourceOf(template(), 'AWS::Events::Rule', 'BusSubscribersRule').Properties;
    expect(rule.Targets[0].Arn['Fn::GetAtt'][0]).toContain('Theirs');
    expect(rule.EventBusName.Ref).toContain('Bus');
    expect(rule.Description).toBe('shipment to DELIVERED');
  });

  test('may be a rule of your own with the same pattern', () => {
    const { feed, stack, template } = aFeed();
    feed.onChange('Rule', { ...delivered, target: aFunction(stack) });
    new events.Rule(stack, 'Own', { eventPattern: changePattern(delivered) });

    const [one, other] = resourcesOf(template(), 'AWS::Events::Rule').map(([, rule]) => rule.Properties);
    expect(one?.EventPattern).toEqual(other?.EventPattern);
  });

  test('is returned as a rule, so that more targets can be added', () => {
    const { feed, stack } = aFeed();

    const rule = feed.onChange('Rule', { ...delivered, target: aFunction(stack) });

    expect(rule).toBeInstanceOf(events.Rule);
  });
});

test('metrics of an unknown source are refused', () => {
  const { feed } = aFeed();

  expect(feed.metricSecondsBehind('acme').metricName).toBe('SecondsBehind');
  expect(() => feed.metricSecondsBehind('globex')).toThrow('write one of "acme"');
});

test('a reader may read all tables, and write none', () => {
  const { feed, stack, template } = aFeed();
  const support = new iam.Role(stack, 'Support', { assumedBy: new iam.AccountRootPrincipal() });
  feed.grantReadState(support);

  const actions = statementsOf(template(), 'Support').flatMap((it) => it.actions);
  const reading = ['BatchGetItem', 'DescribeTable', 'GetItem', 'Query', 'Scan'];
  expect(new Set(actions)).toEqual(new Set(reading.map((action) => `dynamodb:${action}`)));
});
