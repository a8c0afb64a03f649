// Review: odd answers of receivers. All hold, except 204 with a body: "2xx | It is delivered. The body of the answer is ignored."
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createWebhookPost } from '../../../functions/adapters/webhook-post.ts';

const KEY = randomBytes(48);

it.each<[string, string, object]>([
  ['103 before 204', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', { status: 204 }],
  ['100 twice, then 200', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', { status: 200 }],
  ['205', 'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n', { status: 205 }],
  ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nbody', { status: 204 }],
  ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', { status: 304 }],
  ['101 and an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', { failure: expect.any(String) }],
  ['200 that claims gzip', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope', { status: 200 }],
  ['200 in HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', { status: 200 }],
  ['200 with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok', { failure: expect.any(String) }],
  ['200 with 20 KB of headers', `HTTP/1.1 200 OK\r\n${`set-cookie: ${'x'.repeat(1000)}\r\n`.repeat(20)}content-length: 0\r\n\r\n`, { failure: 'HPE_HEADER_OVERFLOW' }],
])('%s', async (_, text, expected) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = createWebhookPost({ url: new URL(`http://127.0.0.1:${port}/`), keys: async () => [KEY], addresses: 'any', timeoutMs: 1_500 });
  const answer = await post({ id: 'a', body: '{}' });
  post.close();
  server.close();
  for (const socket of sockets) socket.destroy();
  console.log(JSON.stringify(answer));
  expect(answer).toMatchObject(expected);
});
