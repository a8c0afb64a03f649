// Opens a deployment's destinations, for commands that send events again.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSqsDestination } from '../../functions/adapters/sqs-destination.ts';
import type { Destination } from '../../shared/ports.ts';
import { type Deployment, partOf } from './find-deployment.ts';

export const DESTINATION_NAMES = ['queue', 'bus'] as const;
export type DestinationName = (typeof DESTINATION_NAMES)[number];

export interface OpenDestination extends Destination {
  readonly name: DestinationName;
  close(): void;
}

/** As in the relays: without these timeouts a hanging call would never end. */
const requestHandler = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** @throws UsageError if the deployment does not name the destination */
export function openDestination(deployment: Deployment, name: DestinationName): OpenDestination {
  if (name === 'queue') {
    const queueUrl = partOf(deployment, 'queueUrl');
    const client = new SQSClient({ requestHandler });
    return { ...createSqsDestination({ client, queueUrl }), name, close: () => client.destroy() };
  }
  const eventBusName = partOf(deployment, 'busName');
  const client = new EventBridgeClient({ requestHandler });
  return { ...createEventBridgeDestination({ client, eventBusName }), name, close: () => client.destroy() };
}
