// The ordered topic: each return group's events in order, for up to 100 subscriptions.
import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface TopicOptions {
  readonly serviceName: string;
  readonly encryptionKey: kms.IKey | undefined;
}

/** SNS accepts 256 KiB by default; events may be larger. 1 MiB is the limit of SQS. */
const LARGEST_MESSAGE_BYTES = 1_048_576;
/** SNS's own key in the account, at no charge. */
const KEY_OF_SNS = 'alias/aws/sns';

export function createTopic(scope: Construct, { serviceName, encryptionKey }: TopicOptions): sns.Topic {
  const topic = new sns.Topic(scope, 'Topic', {
    // The name of a FIFO topic must end with `.fifo`. This one is unique in the account.
    topicName: `${serviceName}.fifo`,
    fifo: true,
    // High throughput, per return group. Deduplicates by the event's id, not by its content.
    fifoThroughputScope: sns.FifoThroughputScope.MESSAGE_GROUP,
    contentBasedDeduplication: false,
    enforceSSL: true,
    ...(encryptionKey && { masterKey: encryptionKey }),
  });
  const { defaultChild } = topic.node;
  if (defaultChild instanceof sns.CfnTopic) {
    // CDK's Topic has no property for the maximum size, nor for the alias of an AWS managed key.
    defaultChild.maximumMessageSize = LARGEST_MESSAGE_BYTES;
    if (encryptionKey === undefined) defaultChild.kmsMasterKeyId = KEY_OF_SNS;
  }
  if (encryptionKey !== undefined) allowQueues(encryptionKey, `${serviceName}.fifo`);
  return topic;
}

/**
 * Lets the topic write to queues in any stack that this key encrypts; each queue's policy names the topic. Publishers
 * use the topic's own encryption with their own permissions. Formats the topic's ARN: with a reference to the topic, key
 * and topic would depend on each other.
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
