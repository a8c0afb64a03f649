// A deployment's destination with a client of its own, for the relays and for commands that send events again.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DestinationName } from '../../shared/deployment/destinations.ts';
import type { Destination } from '../../shared/ports.ts';
import { createEventBridgeDestination } from './eventbridge-destination.ts';
import { createSqsDestination } from './sqs-destination.ts';

export interface OpenDestination extends Destination {
  readonly name: DestinationName;
  close(): void;
}

/** Without these a call that hangs would wait for ever. */
const requestHandler = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

const OPEN: Readonly<Record<DestinationName, (address: string) => OpenDestination>> = {
  queue(queueUrl) {
    const client = new SQSClient({ requestHandler });
    return { ...createSqsDestination({ client, queueUrl }), name: 'queue', close: () => client.destroy() };
  },
  bus(eventBusName) {
    const client = new EventBridgeClient({ requestHandler });
    return {
      ...createEventBridgeDestination({ client, eventBusName }),
      name: 'bus',
      close: () => client.destroy(),
    };
  },
};

/** @param address the queue's URL or the bus's name */
export function openDestination(name: DestinationName, address: string): OpenDestination {
  return OPEN[name](address);
}
