// A receiver of webhooks with independent checks: Standard Webhooks verifies each signature over the received bytes.
// The test sets its answers. It keeps each accepted event.
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
  /** The number of requests with an invalid signature. */
  unverified: number;
  /** The status of the answer to an event; replace it. */
  answer: (event: FeedEvent) => number;
  close(): Promise<void>;
}

/** @param port 0 for any free port, or the port of a closed receiver to reuse its address */
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
