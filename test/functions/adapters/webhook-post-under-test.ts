// The sender of webhooks, and a receiver that keeps what it got.
import { randomBytes } from 'node:crypto';
import { createWebhookPost, type WebhookPostOptions } from '../../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../../functions/adapters/webhook-signature.ts';
import type { AddressRange } from '../../../shared/deployment/address-range.ts';
import { closing, serve } from './listeners.ts';

export const SECRET = `whsec_${randomBytes(48).toString('base64')}`;
export const EVENT = { id: 'acme_mi8x2k_1_2', body: '{"name":"Zoë 退货 \\ud800 🧾"}' };

export function open(url: string, more: Partial<WebhookPostOptions> = {}, addresses: AddressRange = 'any') {
  const post = createWebhookPost({
    url: new URL(url),
    keys: async () => [parseSigningSecret(SECRET)],
    addresses,
    timeoutMs: 2_000,
    ...more,
  });
  return closing(post);
}

interface Received {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** A receiver that keeps the received bytes. */
export async function receiver(status: number, headers: Record<string, string> = {}) {
  const received: Received[] = [];
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) });
      response.writeHead(status, headers).end('thanks');
    });
  });
  return { url, received };
}
