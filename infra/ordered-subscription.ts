// One subscription of the ordered topic: a FIFO queue of its own, with the events that its filter lets pass.

import type { Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type EventFilter, filterPolicy } from '../shared/contract/event-filter.ts';
import { acknowledge } from './acknowledge.ts';
import { allow, allowKey } from './allow.ts';
import { createDeadLetterQueue, createQueue, LONGEST_RETENTION } from './create-queue.ts';

export interface OrderedSubscriptionProps {
  /** Names the subscription in alarms and on the dashboard. */
  readonly name: string;
  readonly topic: sns.ITopic;
  readonly encryptionKey: kms.IKey | undefined;
  readonly filter: EventFilter;
  readonly visibilityTimeout: Duration;
}

export class OrderedSubscription extends Construct {
  /** The subscription in alarms and on the dashboard. */
  readonly name: string;
  /** Each return group's events in their order, for one consumer. */
  readonly queue: sqs.Queue;
  /** Events that the consumer could not handle. */
  readonly deadLetters: sqs.Queue;
  /** Events that SNS could not write to the queue. */
  readonly undelivered: sqs.Queue;

  constructor(scope: Construct, id: string, props: OrderedSubscriptionProps) {
    super(scope, id);
    const { encryptionKey, topic, filter } = props;
    this.name = props.name;
    this.deadLetters = createDeadLetterQueue(this, 'DeadLetters', { encryptionKey, fifo: true });
    this.queue = createQueue(this, 'Queue', {
      encryptionKey,
      fifo: true,
      // High throughput, per return group.
      deduplicationScope: sqs.DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      retentionPeriod: LONGEST_RETENTION,
      visibilityTimeout: props.visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 10 },
    });
    this.undelivered = createUndelivered(this);
    const policies = [this.queue, this.undelivered].map((queue) => allowSendingFrom(topic, queue));
    const policy = filterPolicy(filter);
    const subscription = new sns.CfnSubscription(this, 'Subscription', {
      topicArn: topic.topicArn,
      protocol: 'sqs',
      endpoint: this.queue.queueArn,
      // The body is the event, as on the bus's side.
      rawMessageDelivery: true,
      ...(Object.keys(policy).length > 0 && { filterPolicy: policy, filterPolicyScope: 'MessageAttributes' }),
      redrivePolicy: { deadLetterTargetArn: this.undelivered.queueArn },
    });
    // SNS does not try again what a queue's policy refuses.
    for (const policy of policies) if (policy !== undefined) subscription.node.addDependency(policy);
  }

  /** Lets a consumer take events from the queue, as its only consumer: a second one would get a part of them. */
  grantConsume(grantee: iam.IGrantable): void {
    allow(
      grantee,
      ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      this.queue.queueArn,
    );
    allowKey(grantee, this.queue.encryptionMasterKey, 'sqs', ['kms:Decrypt']);
  }
}

/**
 * Not the queue's own dead-letter queue, and encrypted by SQS's own key: if SNS can't use the account's key, it can't
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
