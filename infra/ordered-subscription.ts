// One subscription of the ordered topic: a FIFO queue of its own, which gets the events that match its filter.

import type { Duration } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventFilter } from '../shared/contract/event-filter.ts';
import { ORDERED_TRIES } from '../shared/deployment/ordered-tries.ts';
import { allowConsuming } from './allow.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { createOrderedQueue, subscribeQueue } from './subscribe-queue.ts';

export interface OrderedSubscriptionProps {
  /** The subscription's name in alarms and on the dashboard. */
  readonly name: string;
  readonly topic: sns.ITopic;
  readonly encryptionKey: kms.IKey | undefined;
  readonly filter: EventFilter;
  readonly visibilityTimeout: Duration;
}

export class OrderedSubscription extends Construct {
  /** The subscription's name in alarms and on the dashboard. */
  readonly name: string;
  /** Each return group's events in order, for one consumer. */
  readonly queue: sqs.Queue;
  /** Events that the consumer received ten times and did not delete. */
  readonly deadLetters: sqs.Queue;
  /** Events that SNS could not write to the queue. */
  readonly undelivered: sqs.Queue;

  constructor(scope: Construct, id: string, props: OrderedSubscriptionProps) {
    super(scope, id);
    const { encryptionKey, topic, filter, visibilityTimeout } = props;
    this.name = props.name;
    this.deadLetters = createDeadLetterQueue(this, 'DeadLetters', { encryptionKey, fifo: true });
    this.queue = createOrderedQueue(this, {
      ...{ encryptionKey, visibilityTimeout },
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: ORDERED_TRIES },
    });
    this.undelivered = subscribeQueue(this, { topic, filter, queue: this.queue });
  }

  /** Allows the queue's only consumer to receive and delete events. Two consumers would each get a part of them. */
  grantConsume(grantee: iam.IGrantable): void {
    allowConsuming(grantee, this.queue);
  }
}
