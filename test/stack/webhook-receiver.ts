// A receiver of webhooks on this machine: checks each request with the verifier of Standard Webhooks, and answers as the
// test sets it.
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
  /** What was accepted, oldest first. */
  readonly accepted: readonly Delivery[];
  /** Requests whose signature is wrong, or that have none. */
  readonly forged: readonly string[];
  /** The status of an answer; replace it. */
  answer: (delivery: Delivery) => number;
  close(): void;
}

/** @param secretOf the signing secret by the path of a request */
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
