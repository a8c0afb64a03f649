// A receiver of webhooks that this project did not write the checks of: Standard Webhooks verifies each signature over
// the bytes that arrived. It answers as the test sets it, and keeps each event that it accepted.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from '../../../shared/contract/event.ts';

export interface WebhookReceiver {
  readonly url: string;
  /** The accepted events, in the order of their arrival. */
  readonly accepted: FeedEvent[];
  /** The ids of all signed attempts. */
  readonly attempts: string[];
  /** How many requests did not verify. */
  unverified: number;
  /** The status that an event is answered; replace it. */
  answer: (event: FeedEvent) => number;
  close(): Promise<void>;
}

/** @param port 0 for any; a closed receiver's port to come back at the same address */
export async function startWebhookReceiver(secret: string, port = 0): Promise<WebhookReceiver> {
  const webhook = new Webhook(secret);
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('utf8');
    try {
      webhook.verify(body, request.headers as Record<string, string>);
    } catch {
      receiver.unverified += 1;
      response.writeHead(401).end();
      return;
    }
    const event = JSON.parse(body) as FeedEvent;
    receiver.attempts.push(String(request.headers['webhook-id']));
    const status = receiver.answer(event);
    if (status >= 200 && status < 300) receiver.accepted.push(event);
    response.writeHead(status).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    accepted: [],
    attempts: [],
    unverified: 0,
    answer: () => 204,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** The numbers of the accepted events of each return, in the order of their first arrival. */
export function firstArrivals(events: readonly FeedEvent[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const { partitionkey, data } of events) {
    const known = numbers.get(partitionkey) ?? [];
    if (!known.includes(data.sequence)) known.push(data.sequence);
    numbers.set(partitionkey, known);
  }
  return numbers;
}
