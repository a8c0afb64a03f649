// What counts as the answer to a posted event, however a receiver sends it.
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, listen, serve } from './listeners.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed-certificate.ts';
import { EVENT, open, receiver } from './webhook-post-under-test.ts';

afterEach(closeAll);

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
const NO_BODY = 'content-length: 0\r\n\r\n';

/** Runs the action once this process, the sender's, has read what was written before. */
const afterReading = (action: () => void) => setImmediate(() => setImmediate(() => setImmediate(action)));

/** A receiver that writes its answers as bytes. */
async function rawReceiver(react: (socket: Socket, request: number) => unknown) {
  let requests = 0;
  const url = await listen(
    createTcpServer((socket) => {
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        text += chunk.toString('utf8');
        if (!text.endsWith(EVENT.body)) return;
        text = '';
        requests += 1;
        react(socket, requests);
      });
    }),
  );
  return { url, requests: () => requests };
}

describe('an answer', () => {
  it('is returned with Retry-After, and a redirect is not followed', async () => {
    const { url, received } = await receiver(302, { location: '/elsewhere', 'retry-after': '7' });

    expect(await open(url)(EVENT)).toMatchObject({ status: 302, retryAfter: '7' });
    expect(received).toHaveLength(1);
  });

  it('of 401 makes the sender read the secrets again', async () => {
    const { url } = await receiver(401);
    let asked = 0;

    await open(url, { onUnauthorized: () => (asked += 1) })(EVENT);

    expect(asked).toBe(1);
  });

  it.each([
    ['never ends', 'x'.repeat(16_384), 1],
    ['comes byte by byte', 'x', 100],
  ])('counts by its status, even if its body %s', async (_, text, everyMs) => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const writing = setInterval(() => response.write(text), everyMs);
      response.on('close', () => clearInterval(writing));
    });

    expect(await open(url, { timeoutMs: 10_000 })(EVENT)).toMatchObject({ status: 200 });
  });

  it.each<[string, (socket: Socket) => void]>([
    [
      'is cut off by the end of the connection',
      (socket) => socket.end(`${HEAD}content-length: 99\r\n\r\nthanks`),
    ],
    [
      'is cut off by a reset',
      (socket) => socket.write(`${HEAD}content-length: 99\r\n\r\nthanks`, () => socket.resetAndDestroy()),
    ],
    [
      'is cut off by a reset before it begins',
      (socket) => socket.write(`${HEAD}content-length: 99\r\n\r\n`, () => socket.resetAndDestroy()),
    ],
    ['has a broken chunk', (socket) => socket.write(`${CHUNKED}NOPE\r\n`)],
    [
      'has a broken chunk in a packet of its own',
      (socket) => socket.write(CHUNKED, () => afterReading(() => socket.write('NOPE\r\n'))),
    ],
  ])('of 200 counts if its body %s, also on a connection that was used before', async (_, react) => {
    const atOnce = await rawReceiver(react);
    const later = await rawReceiver((socket, request) =>
      request === 1 ? socket.write('HTTP/1.1 204 No Content\r\n\r\n') : react(socket),
    );
    const postLater = open(later.url);

    expect(await open(atOnce.url)(EVENT)).toMatchObject({ status: 200 });
    await postLater(EVENT);
    expect(await postLater(EVENT)).toMatchObject({ status: 200 });

    expect([atOnce.requests(), later.requests()]).toEqual([1, 2]);
  });

  it.each<[string, (socket: Socket, text: string) => void]>([
    ['then closes', (socket, text) => socket.end(text)],
    ['then resets', (socket, text) => socket.write(text, () => socket.resetAndDestroy())],
    [
      'resets after the sender has read it',
      (socket, text) => socket.write(text, () => afterReading(() => socket.resetAndDestroy())),
    ],
  ])('that comes before the whole event was sent counts, also if the receiver %s', async (_, finish) => {
    const url = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          socket.pause();
          finish(socket, 'HTTP/1.1 413 Content Too Large\r\nconnection: close\r\n\r\nToo large');
        });
      }),
    );
    const body = JSON.stringify('x'.repeat(900_000));

    expect(await open(url)({ ...EVENT, body })).toMatchObject({ status: 413 });
  });

  it.each([
    [
      'of 204 after one of 103',
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      { status: 204 },
    ],
    ['of 205', `HTTP/1.1 205 Reset Content\r\n${NO_BODY}`, { status: 205 }],
    ['of 204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nbody', { status: 204 }],
    ['of 304', 'HTTP/1.1 304 Not Modified\r\n\r\n', { status: 304 }],
    [
      'of 200 that claims gzip',
      `${HEAD}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope`,
      { status: 200 },
    ],
    ['in HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', { status: 200 }],
    [
      'with two lengths',
      `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`,
      { failure: 'HPE_UNEXPECTED_CONTENT_LENGTH' },
    ],
    [
      'with 20 KB of headers',
      `${HEAD}a: ${'x'.repeat(20_000)}\r\n${NO_BODY}`,
      { failure: 'HPE_HEADER_OVERFLOW' },
    ],
    [
      'with an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      { failure: expect.any(String) },
    ],
  ])('%s counts as it is', async (_, text, expected) => {
    const { url } = await rawReceiver((socket) => socket.end(text));

    expect(await open(url, { timeoutMs: 1_000 })(EVENT)).toMatchObject(expected);
  });

  it('that comes too late is a timeout', async () => {
    const url = await serve(() => undefined);

    expect(await open(url, { timeoutMs: 100 })(EVENT)).toMatchObject({ failure: 'timeout' });
  });

  it('that its sender waits for no longer is a timeout', async () => {
    const ending = new AbortController();
    const url = await serve(() => ending.abort());

    const answer = await open(url, { timeoutMs: 60_000 })(EVENT, ending.signal);

    expect(answer).toMatchObject({ failure: 'timeout' });
  });

  it.each([
    ['a connection that is reset', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['something that is not HTTP', (socket: Socket) => socket.end('NOPE\r\n\r\n'), 'HPE_INVALID_CONSTANT'],
  ])('that is %s is a failure', async (_, react, code) => {
    const url = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => react(socket));
      }),
    );

    expect(await open(url)(EVENT)).toMatchObject({ failure: code });
  });

  it('with an untrusted certificate is a failure', async () => {
    const server = createHttpsServer(
      { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY },
      (_, response) => {
        response.end();
      },
    );

    expect(await open(await listen(server, 'https'))(EVENT)).toMatchObject({
      failure: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });
});
