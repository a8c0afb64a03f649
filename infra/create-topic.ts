// The ordered topic: each return group's events in their order, for any number of subscriptions.
import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface TopicOptions {
  readonly serviceName: string;
  readonly encryptionKey: kms.IKey | undefined;
}

/** SNS takes 256 KiB by default; the events that a FIFO queue took may be larger. */
const LARGEST_MESSAGE_BYTES = 1_048_576;
/** SNS's own key in the account, at no charge. */
const KEY_OF_SNS = 'alias/aws/sns';

export function createTopic(scope: Construct, { serviceName, encryptionKey }: TopicOptions): sns.Topic {
  const topic = new sns.Topic(scope, 'Topic', {
    // A FIFO topic must have a name; this one is as unique as a generated one.
    topicName: `${serviceName}.fifo`,
    fifo: true,
    // High throughput, per return group. Each event has an id of its own, so its content must not decide.
    fifoThroughputScope: sns.FifoThroughputScope.MESSAGE_GROUP,
    contentBasedDeduplication: false,
    enforceSSL: true,
    ...(encryptionKey && { masterKey: encryptionKey }),
  });
  const { defaultChild } = topic.node;
  if (defaultChild instanceof sns.CfnTopic) {
    // CDK's Topic has no property for the size, and none for an alias of AWS.
    defaultChild.maximumMessageSize = LARGEST_MESSAGE_BYTES;
    if (encryptionKey === undefined) defaultChild.kmsMasterKeyId = KEY_OF_SNS;
  }
  if (encryptionKey !== undefined) allowQueues(encryptionKey, `${serviceName}.fifo`);
  return topic;
}

/**
 * Lets the topic write to queues with this key, in any stack; each queue's policy names the topic. The topic itself is
 * encrypted in the names of those who publish. By its name, because a reference to the topic would make key and topic
 * depend on each other.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-least-privilege-policy.html
 */
function allowQueues(key: kms.IKey, topicName: string): void {
  const topicArn = Stack.of(key).formatArn({ service: 'sns', resource: topicName });
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('sns.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { ArnEquals: { 'aws:SourceArn': topicArn } },
    }),
  );
}
