// The bus with its archive: all events, in no order, for any number of rules, and again for replays.
import { type Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { BUS_SOURCE } from '../shared/contract/event-pattern.ts';
import { acknowledge } from './acknowledge.ts';
import { createDeadLetterQueue } from './create-queue.ts';

export interface BusOptions {
  readonly serviceName: string;
  readonly archiveRetention: Duration;
  readonly encryptionKey: kms.IKey | undefined;
}

export interface Bus {
  readonly bus: events.EventBus;
  /** For events that the bus can't encrypt or decrypt; undefined without a key of your own: then that can't happen. */
  readonly deadLetters: sqs.Queue | undefined;
}

/** TLS needs no policy here: EventBridge's endpoints allow nothing else. */
export function createBus(
  scope: Construct,
  { encryptionKey, archiveRetention, serviceName }: BusOptions,
): Bus {
  const deadLetters = encryptionKey && createBusDeadLetters(scope);
  const bus = new events.EventBus(scope, 'Bus', {
    // A bus must have a name; this one is as unique as a generated one.
    eventBusName: serviceName,
    description: 'Changes of returns: return_line_item, shipment, exchange_line_item, return_group',
    ...(encryptionKey && { kmsKey: encryptionKey }),
    ...(deadLetters && { deadLetterQueue: deadLetters }),
  });
  if (deadLetters !== undefined) allowSendingFrom(bus, deadLetters);
  const archive = new events.Archive(scope, 'Archive', {
    description: 'Events of the feed, to be replayed to rules',
    sourceEventBus: bus,
    eventPattern: { source: events.Match.prefix(`${BUS_SOURCE}.`) },
    retention: archiveRetention,
  });
  const { defaultChild } = archive.node;
  // CDK writes an empty text if there is no key; some regions reject it: https://github.com/aws/aws-cdk/issues/37847
  if (defaultChild instanceof events.CfnArchive) defaultChild.kmsKeyIdentifier = encryptionKey?.keyArn;
  if (encryptionKey !== undefined) {
    allowArchiving(encryptionKey, serviceName);
    allowDeadLettersOfRules(encryptionKey);
  }
  return { bus, deadLetters };
}

/**
 * Encrypted by SQS's own key: if the bus can't use the account's key, it can't write to a queue with that key either,
 * and the loss would go unnoticed.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-dlq.html
 */
function createBusDeadLetters(scope: Construct): sqs.Queue {
  const deadLetters = createDeadLetterQueue(scope, 'BusDeadLetters', { encryptionKey: undefined });
  acknowledge(
    deadLetters,
    'SQS3',
    'It is a dead-letter queue itself, of the bus; an alarm reports every message in it.',
  );
  return deadLetters;
}

function allowSendingFrom(bus: events.EventBus, queue: sqs.Queue): void {
  queue.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [eventBridge()],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': bus.eventBusArn } },
    }),
  );
}

/** Like CDK's Archive, except for the bus's ARN: a reference to the bus would make key and bus depend on each other. */
function allowArchiving(key: kms.IKey, eventBusName: string): void {
  const busArn = Stack.of(key).formatArn({
    service: 'events',
    resource: 'event-bus',
    resourceName: eventBusName,
  });
  allowEventBridge(key, ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'], {
    StringEquals: { 'kms:EncryptionContext:aws:events:event-bus:arn': busArn },
  });
  // Bus and archive describe the key before they use it, without an encryption context, so CDK's own statement for the
  // bus, which requires one, does not allow it.
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html
  allowEventBridge(key, ['kms:DescribeKey'], {});
}

/**
 * Lets rules write to dead-letter queues with this key, in any stack; each queue's policy names its rules. EventBridge
 * sends neither `aws:SourceArn` nor `aws:SourceAccount` to an encrypted destination, so conditions on these would
 * reject it (documented for topics: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html). SQS names the
 * queue in the encryption context.
 */
function allowDeadLettersOfRules(key: kms.IKey): void {
  const queues = Stack.of(key).formatArn({ service: 'sqs', resource: '*' });
  allowEventBridge(key, ['kms:Decrypt', 'kms:GenerateDataKey'], {
    ArnLike: { 'kms:EncryptionContext:aws:sqs:arn': queues },
  });
}

function allowEventBridge(key: kms.IKey, actions: string[], conditions: iam.Conditions): void {
  key.addToResourcePolicy(
    new iam.PolicyStatement({ principals: [eventBridge()], actions, resources: ['*'], conditions }),
  );
}

function eventBridge(): iam.ServicePrincipal {
  return new iam.ServicePrincipal('events.amazonaws.com');
}
