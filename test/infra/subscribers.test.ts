import { App, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { changePattern } from '../../shared/contract/event-pattern.ts';
import { aFeed, aFunction } from './synthesize.ts';
import { resourceOf, resourcesOf, statementsOf, templateOf } from './template.ts';

describe('a rule on a change', () => {
  const delivered = { entity: 'shipment', to: 'DELIVERED' } as const;

  test.each([
    delivered,
    { entity: 'return_line_item', to: ['COMPLETED', 'CANCELED'], from: 'OPEN', sources: ['acme'] } as const,
    { entity: 'shipment', changed: ['carrier', 'tracking_number'], replays: true } as const,
  ])('has the pattern that a rule of your own would have: %j', (options) => {
    const { feed, stack, template } = aFeed();
    feed.onChange('Rule', { ...options, target: aFunction(stack) });

    const rule = resourceOf(template(), 'AWS::Events::Rule', 'BusSubscribersRule').Properties;
    const { detailType, ...others } = changePattern(options);
    expect(rule.EventPattern).toEqual({ ...others, 'detail-type': detailType });
  });

  test('with an unknown source is refused', () => {
    const { feed, stack } = aFeed();
    const add = () => feed.onChange('Rule', { ...delivered, sources: ['globex'], target: aFunction(stack) });

    expect(add).toThrow('There is no source "globex": write one of "acme".');
  });

  test('may have a function that another rule has', () => {
    const { feed, stack, template } = aFeed();
    const fn = aFunction(stack);
    feed.onChange('One', { ...delivered, target: fn });
    feed.onChange('Two', { entity: 'exchange_line_item', to: 'PROCESSED', target: fn });

    const invoked = resourcesOf(template(), 'AWS::Lambda::EventInvokeConfig').map(([id]) => id);
    expect(invoked.filter((id) => id.startsWith('Subscriber'))).toHaveLength(1);
  });

  test('for a function in another stack is created there, with one dead-letter queue and its alarm', () => {
    const { feed, stack } = aFeed();
    const elsewhere = new Stack(App.of(stack) as App, 'Elsewhere');
    feed.onChange('One', { ...delivered, target: aFunction(elsewhere) });
    feed.onChange('Two', { ...delivered, target: aFunction(elsewhere, 'Second') });

    const [here, there] = [templateOf(stack), templateOf(elsewhere)];
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
