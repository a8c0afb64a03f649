// Subscribes a FIFO queue to the ordered topic, for ordered subscriptions and for webhooks.
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type EventFilter, filterPolicy } from '../shared/contract/event-filter.ts';
import { acknowledge } from './acknowledge.ts';
import { createDeadLetterQueue, createQueue, LONGEST_RETENTION, type QueueOptions } from './create-queue.ts';

/** Creates a FIFO queue with high throughput per return group and SQS's longest retention. */
export function createOrderedQueue(
  scope: Construct,
  options: Pick<QueueOptions, 'encryptionKey' | 'visibilityTimeout' | 'deadLetterQueue'>,
): sqs.Queue {
  return createQueue(scope, 'Queue', {
    ...options,
    fifo: true,
    deduplicationScope: sqs.DeduplicationScope.MESSAGE_GROUP,
    fifoThroughputLimit: sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    retentionPeriod: LONGEST_RETENTION,
  });
}

export interface QueueSubscription {
  readonly topic: sns.ITopic;
  readonly queue: sqs.Queue;
  readonly filter: EventFilter;
}

/** @returns a new dead-letter queue, for events that SNS could not write to the queue */
export function subscribeQueue(scope: Construct, { topic, queue, filter }: QueueSubscription): sqs.Queue {
  const undelivered = createUndelivered(scope);
  const policies = [queue, undelivered].map((it) => allowSendingFrom(topic, it));
  const policy = filterPolicy(filter);
  const subscription = new sns.CfnSubscription(scope, 'Subscription', {
    topicArn: topic.topicArn,
    protocol: 'sqs',
    endpoint: queue.queueArn,
    // Delivers the event as the message's body, without SNS's envelope.
    rawMessageDelivery: true,
    ...(Object.keys(policy).length > 0 && { filterPolicy: policy, filterPolicyScope: 'MessageAttributes' }),
    redrivePolicy: { deadLetterTargetArn: undelivered.queueArn },
  });
  // The policies must exist first: SNS does not retry an event that a queue's policy denies.
  for (const policy of policies) if (policy !== undefined) subscription.node.addDependency(policy);
  return undelivered;
}

/**
 * Another queue than the consumer's dead-letter queue. SQS's own key encrypts it: if SNS can't use your key, it can't
 * write to another queue with that key either, and the loss would go unnoticed.
 */
function createUndelivered(scope: Construct): sqs.Queue {
  const queue = createDeadLetterQueue(scope, 'Undelivered', { encryptionKey: undefined, fifo: true });
  acknowledge(
    queue,
    'SQS3',
    'It is a dead-letter queue itself, of the subscription; an alarm reports every message in it.',
  );
  return queue;
}

function allowSendingFrom(topic: sns.ITopic, queue: sqs.Queue) {
  return queue.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  ).policyDependable;
}
