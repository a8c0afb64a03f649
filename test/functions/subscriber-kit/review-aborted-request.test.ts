// Review: a sender that goes away in the middle of its request must not end the receiver's process, or leave the return busy.
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { createWebhookReceiver, toNodeHandler } from '../../../functions/subscriber-kit/webhook-kit.ts';
import { change, keepLog } from './deliveries.ts';
import { attempt } from './signed-requests.ts';

it('review: holds: requests that break off, and a slow handler whose sender has gone', async () => {
  const unhandled: unknown[] = [];
  process.on('unhandledRejection', (error) => unhandled.push(error));
  const probe = attempt(change(1, 1));
  const headers = Object.fromEntries(probe.headers);
  const body = await probe.text();
  const { SECRET } = (await import('./signed-requests.ts')) as unknown as { SECRET: string };
  let finish = () => {};
  const receiver = createWebhookReceiver({
    name: 'w', secrets: SECRET, log: keepLog(),
    on: { 'shipment.status_changed': () => new Promise<void>((resolve) => (finish = resolve)) },
  });
  const server = createServer(toNodeHandler(receiver));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // Breaks off in the body.
  const broken = connect(port, '127.0.0.1', () => broken.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{', () => setTimeout(() => broken.resetAndDestroy(), 50)));
  broken.on('error', () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const send = () => request({ port, host: '127.0.0.1', method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
  const gone = send();
  gone.on('error', () => undefined);
  gone.end(body);
  await new Promise((resolve) => setTimeout(resolve, 150));
  gone.destroy();
  const statusOf = () =>
    new Promise<number>((resolve) => {
      const again = send();
      again.on('response', (response) => { response.resume(); resolve(response.statusCode ?? 0); });
      again.end(body);
    });
  const busy = await statusOf();
  finish();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const done = await statusOf();
  server.closeAllConnections();
  server.close();
  expect([busy, done]).toEqual([409, 204]);
  expect(unhandled).toEqual([]);
});
