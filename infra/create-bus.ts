// The bus and its archive: all events, unordered, for any number of rules. The archive replays them.
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
  /** For events that the bus can't encrypt or decrypt. Undefined without a key of your own: this can't happen then. */
  readonly deadLetters: sqs.Queue | undefined;
}

/** A policy that requires TLS is not needed: EventBridge's endpoints accept nothing else. */
export function createBus(
  scope: Construct,
  { encryptionKey, archiveRetention, serviceName }: BusOptions,
): Bus {
  const deadLetters = encryptionKey && createBusDeadLetters(scope);
  const bus = new events.EventBus(scope, 'Bus', {
    // CloudFormation does not generate names of buses. This one is unique in the account.
    eventBusName: serviceName,
    description: 'Changes of returns, and the events of the feed itself',
    ...(encryptionKey && { kmsKey: encryptionKey }),
    ...(deadLetters && { deadLetterQueue: deadLetters }),
  });
  if (deadLetters !== undefined) allowSendingFrom(bus, deadLetters);
  const archive = new events.Archive(scope, 'Archive', {
    description: 'Events of the feed, for replays to rules',
    sourceEventBus: bus,
    eventPattern: { source: events.Match.prefix(`${BUS_SOURCE}.`) },
    retention: archiveRetention,
  });
  const { defaultChild } = archive.node;
  // Without a key CDK writes an empty string, which some regions reject: https://github.com/aws/aws-cdk/issues/37847
  if (defaultChild instanceof events.CfnArchive) defaultChild.kmsKeyIdentifier = encryptionKey?.keyArn;
  if (encryptionKey !== undefined) {
    allowArchiving(encryptionKey, serviceName);
    allowDeadLettersOfRules(encryptionKey);
  }
  return { bus, deadLetters };
}

/**
 * SQS's own key encrypts this queue: a bus that can't use your key can't write to a queue with that key either, and the
 * loss would go unnoticed.
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

/**
 * Like CDK's Archive, but formats the bus's ARN: with a reference to the bus, key and bus would depend on each other.
 */
function allowArchiving(key: kms.IKey, eventBusName: string): void {
  const busArn = Stack.of(key).formatArn({
    service: 'events',
    resource: 'event-bus',
    resourceName: eventBusName,
  });
  allowEventBridge(key, ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'], {
    StringEquals: { 'kms:EncryptionContext:aws:events:event-bus:arn': busArn },
  });
  // Bus and archive call DescribeKey without an encryption context. CDK's own statement for the bus requires one.
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html
  allowEventBridge(key, ['kms:DescribeKey'], {});
}

/**
 * Lets rules in any stack write to dead-letter queues that this key encrypts; each queue's policy names its rules. The
 * condition is on the queue, which SQS names in the encryption context: for an encrypted destination EventBridge sends
 * neither `aws:SourceArn` nor `aws:SourceAccount` (documented for topics:
 * https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html).
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
