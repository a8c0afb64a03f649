// All URLs that a `watch` forwards to, as one.
import { createDynamoDbEndpointStates } from '../../functions/adapters/dynamodb-endpoint-states.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type Forwarder, type ForwarderPorts, startForwarder } from './forwarder.ts';

export interface ForwardingOptions {
  readonly urls: readonly URL[];
  /** A signing secret as text. */
  readonly secret: string;
  readonly filter: EventFilter;
  /** Called after each attempt. */
  readonly onAttempt: (url: URL, event: FeedEvent, answer: Answer) => void;
}

export type Forwarding = Awaited<ReturnType<typeof startForwarding>>;

const NOWHERE: ForwardingOptions = { urls: [], secret: '', filter: {}, onAttempt() {} };

export async function startForwarding(
  { urls, secret, filter, onAttempt }: ForwardingOptions = NOWHERE,
  ports: Omit<ForwarderPorts, 'onAttempt' | 'endpoints'> & Parameters<typeof createDynamoDbEndpointStates>[0],
) {
  const endpoints = createDynamoDbEndpointStates(ports);
  const forwarders = await Promise.all(
    urls.map((url) =>
      startForwarder(
        { url, secret, filter },
        { ...ports, endpoints, onAttempt: (event, answer) => onAttempt(url, event, answer) },
      ),
    ),
  );
  const all = async (act: (forwarder: Forwarder) => Promise<void>) =>
    void (await Promise.all(forwarders.map(act)));
  return {
    /** Delivers the event to every URL, after all before it of its return. Returns at once. */
    forward(event: FeedEvent): void {
      for (const forwarder of forwarders) forwarder.forward(event);
    },
    /** Delivers what was published while nothing ran. */
    catchUp: () => all((forwarder) => forwarder.catchUp()),
    /** Tries what is left once more, and logs how much was not delivered. */
    finish: () =>
      all(async (forwarder) => {
        const { events, returns } = await forwarder.finish();
        if (events === 0) return;
        ports.log.warn('Some events were not forwarded.', {
          url: forwarder.target.url.host,
          events,
          returns,
        });
      }),
    stop: () => all((forwarder) => forwarder.stop()),
  };
}
