// The bus with its archive: all events, in no order, for any number of rules, and once more on demand.
import { type Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { BUS_SOURCE } from '../shared/contract/event-pattern.ts';

export interface BusOptions {
  readonly serviceName: string;
  readonly archiveRetention: Duration;
  readonly encryptionKey: kms.IKey | undefined;
}

/** TLS needs no policy here: EventBridge's endpoints speak nothing else. */
export function createBus(
  scope: Construct,
  { encryptionKey, archiveRetention, serviceName }: BusOptions,
): events.EventBus {
  const bus = new events.EventBus(scope, 'Bus', {
    // A bus must have a name; this one is as unique as what CDK would make up.
    eventBusName: serviceName,
    description: 'Changes of returns: return_line_item, shipment, exchange_line_item, return_group',
    ...(encryptionKey && { kmsKey: encryptionKey }),
  });
  const archive = new events.Archive(scope, 'Archive', {
    description: 'Events of the feed, to be replayed to rules',
    sourceEventBus: bus,
    eventPattern: { source: events.Match.prefix(`${BUS_SOURCE}.`) },
    retention: archiveRetention,
  });
  if (encryptionKey !== undefined) encryptArchive(archive, encryptionKey, serviceName);
  return bus;
}

/** As CDK's Archive does it, but for the bus's ARN: taken from the bus it would make key and bus wait for each other. */
function encryptArchive(archive: events.Archive, key: kms.IKey, eventBusName: string): void {
  const { defaultChild } = archive.node;
  if (defaultChild instanceof events.CfnArchive) defaultChild.kmsKeyIdentifier = key.keyArn;
  const busArn = Stack.of(archive).formatArn({
    service: 'events',
    resource: 'event-bus',
    resourceName: eventBusName,
  });
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
      resources: ['*'],
      conditions: { StringEquals: { 'kms:EncryptionContext:aws:events:event-bus:arn': busArn } },
    }),
  );
}
