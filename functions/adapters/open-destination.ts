// A deployment's destination with a client of its own, for the relays and for commands that send events again.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SNSClient } from '@aws-sdk/client-sns';
import type { DestinationName } from '../../shared/deployment/destinations.ts';
import type { Destination } from '../../shared/ports.ts';
import { createEventBridgeDestination } from './eventbridge-destination.ts';
import { requestLimits } from './request-limits.ts';
import { createSnsDestination } from './sns-destination.ts';

export interface OpenDestination extends Destination {
  /** Ends calls to a bus that are under way. */
  close(): void;
}

const requestHandler = requestLimits(3_000);

const OPEN: Readonly<Record<DestinationName, (address: string) => OpenDestination>> = {
  ordered(topicArn) {
    const client = new SNSClient({ requestHandler });
    return { ...createSnsDestination({ client, topicArn }), close: () => client.destroy() };
  },
  bus(eventBusName) {
    const client = new EventBridgeClient({ requestHandler });
    const closing = new AbortController();
    return {
      ...createEventBridgeDestination({ client, eventBusName, signal: closing.signal }),
      close() {
        closing.abort();
        client.destroy();
      },
    };
  },
};

/** @param address the topic's ARN or the bus's name */
export function openDestination(name: DestinationName, address: string): OpenDestination {
  return OPEN[name](address);
}
