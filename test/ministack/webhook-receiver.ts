// A receiver of webhooks on this machine. Verifies each request with the library of Standard Webhooks, and responds with
// the status that the test sets.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from '../../shared/contract/event.ts';

export interface Delivery {
  /** The path of the URL, which identifies the webhook. */
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly event: FeedEvent;
  readonly authorization: string | undefined;
}

export interface WebhookReceiver {
  readonly url: string;
  /** The accepted deliveries, oldest first. */
  readonly accepted: readonly Delivery[];
  /** Requests without a valid signature. */
  readonly forged: readonly string[];
  /** Returns the status of a response. Tests replace it. */
  answer: (delivery: Delivery) => number;
  close(): void;
}

/** @param secretOf returns the signing secret for the path of a request */
export async function startWebhookReceiver(secretOf: (path: string) => string): Promise<WebhookReceiver> {
  const accepted: Delivery[] = [];
  const forged: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    const path = request.url ?? '';
    try {
      const event = new Webhook(secretOf(path)).verify(body, headers) as FeedEvent;
      const id = headers['webhook-id'] ?? '';
      const delivery = { path, id, body, event, authorization: headers.authorization };
      const status = receiver.answer(delivery);
      if (status < 300) accepted.push(delivery);
      response.writeHead(status).end();
    } catch (error) {
      forged.push(`${path}: ${String(error)}`);
      response.writeHead(401).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ accepted, forged },
    answer: () => 204,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
