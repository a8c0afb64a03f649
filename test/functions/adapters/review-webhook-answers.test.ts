// Review: "2xx | It is delivered. The body of the answer is ignored." (docs/webhooks.md); "An answer is decided by its
// status" (functions/adapters/webhook-post.ts).
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createWebhookPost } from '../../../functions/adapters/webhook-post.ts';

const KEY = randomBytes(48);
const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Answers every request; the first one on each connection plainly if `plainFirst`. */
async function receiver(react: (socket: Socket) => void, plainFirst: boolean) {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isFirst = plainFirst;
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.endsWith('{"a":1}')) return;
      text = '';
      requests += 1;
      if (isFirst) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      else react(socket);
      isFirst = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = createWebhookPost({ url: new URL(`http://127.0.0.1:${port}/`), keys: async () => [KEY], addresses: 'any', timeoutMs: 2_000 });
  const close = () => {
    post.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { post, close, requests: () => requests };
}

it.each<[string, (socket: Socket) => void]>([
  ['is cut off by the end of the connection', (socket) => socket.end(`${HEAD}content-length: 100\r\n\r\nthanks`)],
  ['is cut off by a reset', (socket) => {
    socket.write(`${HEAD}content-length: 100\r\n\r\nthanks`, () => setTimeout(() => socket.resetAndDestroy(), 50));
  }],
  ['is cut off by a reset right after the head', (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`, () => setTimeout(() => socket.resetAndDestroy(), 5));
  }],
  ['has a broken chunk', (socket) => socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\nNOPE\r\n`)],
  ['has a broken chunk in a packet of its own', (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`, () => setTimeout(() => socket.write('NOPE\r\n'), 50));
  }],
])('review: 200 with a body that %s is delivered', async (_, react) => {
  const fresh = await receiver(react, false);
  const kept = await receiver(react, true);
  const onFresh = await fresh.post({ id: 'a', body: '{"a":1}' });
  await kept.post({ id: 'a', body: '{"a":1}' });
  const onKept = await kept.post({ id: 'b', body: '{"a":1}' });
  fresh.close();
  kept.close();

  expect.soft(onFresh).toMatchObject({ status: 200 });
  expect.soft(onKept, 'on a kept connection').toMatchObject({ status: 200 });
  expect(kept.requests(), 'posts of two events').toBe(2);
});

// "400, 413, 415, 422 … | The endpoint rejects its content: it is tried again for a day, then skipped." As a failure of the
// connection it is tried for 30 days, and holds the return for as long.
it('review: 413 that comes before the whole body was sent, and then a reset, is a rejection of the content', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 413 Content Too Large\r\nconnection: close\r\n\r\nToo large', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = createWebhookPost({ url: new URL(`http://127.0.0.1:${port}/`), keys: async () => [KEY], addresses: 'any', timeoutMs: 2_000 });
  const answers = [];
  for (let n = 0; n < 5; n += 1) answers.push(await post({ id: 'a', body: JSON.stringify('x'.repeat(900_000)) }));
  post.close();
  server.close();
  for (const socket of sockets) socket.destroy();

  console.log(JSON.stringify(answers));
  for (const answer of answers) expect(answer).toMatchObject({ status: 413 });
});
