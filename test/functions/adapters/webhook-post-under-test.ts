// The sender of webhooks, and receivers that answer it as a test wants.
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net';
import { createWebhookPost, type WebhookPostOptions } from '../../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../../functions/adapters/webhook-signature.ts';
import type { AddressRange } from '../../../shared/deployment/address-range.ts';

export const SECRET = `whsec_${randomBytes(48).toString('base64')}`;
export const EVENT = { id: 'acme_mi8x2k_1_2', body: '{"name":"Zoë 退货 \\ud800 🧾"}' };

const opened: { close(): void }[] = [];

/** For `afterEach`. */
export function closeAll(): void {
  for (const one of opened.splice(0)) one.close();
}

export async function listen(server: Server | TcpServer, protocol = 'http'): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

export const serve = (listener: RequestListener) => listen(createServer(listener));

export function open(url: string, more: Partial<WebhookPostOptions> = {}, addresses: AddressRange = 'any') {
  const post = createWebhookPost({
    url: new URL(url),
    keys: async () => [parseSigningSecret(SECRET)],
    addresses,
    timeoutMs: 2_000,
    ...more,
  });
  opened.push(post);
  return post;
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
