import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** Creates a topic that mails alarms to an address. AWS first sends a mail with a link to confirm it. */
export function createAlarmMail(scope: Construct, id: string, address: string): SnsAction {
  const topic = new sns.Topic(scope, id, { enforceSSL: true });
  // `enforceSSL` adds a policy, which replaces the default one that lets the account's alarms publish.
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  topic.addSubscription(new EmailSubscription(address));
  return new SnsAction(topic);
}
