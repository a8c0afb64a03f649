// SNS's rule: only the callers that a topic's policy names may publish to it. Without a policy, SNS's default policy
// allows the account. https://docs.aws.amazon.com/sns/latest/dg/sns-using-identity-based-policies.html
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import { newUnbundledApp, resourcesOf } from './synthesize.ts';

test.each(Object.entries(STAGES))('CloudWatch may publish the alarms of the stage %s', (_, stage) => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), { ...stage, alarmEmail: 'ops@example.com' });
  const template = Template.fromStack(stack);

  const actions = resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(([, { Properties }]) => [
    ...Properties.AlarmActions,
    ...Properties.OKActions,
  ]);
  const topics = new Set<string>(actions.map(({ Ref }) => Ref));
  expect(topics.size).toBe(1);
  for (const topic of topics) {
    const statements = resourcesOf(template, 'AWS::SNS::TopicPolicy')
      .filter(([, { Properties }]) => Properties.Topics.some(({ Ref }: { Ref: string }) => Ref === topic))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topic },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  }
});
