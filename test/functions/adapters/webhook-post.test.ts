import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { createWebhookPost, type WebhookPostOptions } from '../../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../../functions/adapters/webhook-signature.ts';
import type { AddressRange } from '../../../shared/deployment/address-range.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed-certificate.ts';

const SECRET = `whsec_${randomBytes(48).toString('base64')}`;
const EVENT = { id: 'acme_mi8x2k_1_2', body: '{"name":"Zoë 退货 \\ud800 🧾"}' };

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function listen(server: Server | TcpServer, protocol = 'http'): Promise<string> {
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

const serve = (listener: RequestListener) => listen(createServer(listener));

function open(url: string, more: Partial<WebhookPostOptions> = {}, addresses: AddressRange = 'any') {
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
async function receiver(status: number, headers: Record<string, string> = {}) {
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

describe('a posted event', () => {
  it('is signed over the bytes at the socket, so that Standard Webhooks verifies it', async () => {
    const { url, received } = await receiver(204);

    expect(await open(url)(EVENT)).toMatchObject({ status: 204 });

    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received;
    expect(body.equals(Buffer.from(EVENT.body))).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': EVENT.id,
      'user-agent': expect.stringMatching(/^returns-change-feed\//),
    });
    expect(() => new Webhook(SECRET).verify(body.toString('utf8'), headers)).not.toThrow();
    expect(() => new Webhook(SECRET).verify(`${body.toString('utf8')} `, headers)).toThrow('signature');
  });

  it('is signed with every secret in force', async () => {
    const { url, received } = await receiver(204);
    const older = `whsec_${randomBytes(24).toString('base64')}`;

    await open(url, { keys: async () => [SECRET, older].map(parseSigningSecret) })(EVENT);

    const [{ headers = {}, body = '' } = {}] = received;
    for (const secret of [SECRET, older])
      expect(() => new Webhook(secret).verify(body.toString(), headers)).not.toThrow();
  });

  it('has the time of the attempt and the given headers', async () => {
    const { url, received } = await receiver(204);
    const headers = async () => ({ authorization: 'Bearer abc' });

    await open(url, { now: () => 1_795_000_000_900, headers })(EVENT);

    expect(received[0]?.headers).toMatchObject({
      'webhook-timestamp': '1795000000',
      authorization: 'Bearer abc',
    });
  });
});

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

  it('counts by its status, even if its body never ends', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const writing = setInterval(() => response.write('x'.repeat(16_384)), 1);
      response.on('close', () => clearInterval(writing));
    });

    expect(await open(url)(EVENT)).toMatchObject({ status: 200 });
  });

  it('counts by its status, even if its body comes byte by byte', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const writing = setInterval(() => response.write('x'), 100);
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

    expect(await open(url, { timeoutMs: 200 })(EVENT)).toMatchObject(expected);
  });

  it('that comes too late is a timeout', async () => {
    const url = await serve(() => undefined);

    expect(await open(url, { timeoutMs: 100 })(EVENT)).toMatchObject({ failure: 'timeout' });
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

describe('a connection', () => {
  it('is used again, or replaced at once if the receiver has closed it', async () => {
    let connections = 0;
    let requests = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        // The third request comes on the first connection, which a proxy has forgotten by then.
        if (requests === 3 && connections === 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const post = open(await listen(server));

    const answers = [await post(EVENT), await post(EVENT), await post(EVENT)];

    expect(answers.map((answer) => ('status' in answer ? answer.status : answer.failure))).toEqual([
      204, 204, 204,
    ]);
    expect(connections).toBe(2);
  });
});

describe('an address', () => {
  const resolving = (...addresses: string[]) =>
    ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never;

  it.each([
    ['one private address', ['10.1.2.3']],
    ['a public and a private one', ['93.184.216.34', '192.168.1.1']],
    ['the metadata service', ['169.254.169.254']],
    ['loopback in IPv6', ['::1']],
    ['loopback in another form', ['::ffff:127.0.0.1']],
    ['NAT64 of a private one', ['64:ff9b::a00:1']],
  ])('of a name that has %s is not connected to', async (_, addresses) => {
    const post = open('https://receiver.example/hook', { lookup: resolving(...addresses) }, 'public');

    expect(await post(EVENT)).toMatchObject({ failure: 'ADDRESS_NOT_ALLOWED' });
  });

  it('is the checked one: the connection goes to the result of the lookup', async () => {
    const { url, received } = await receiver(204);
    const { port } = new URL(url);

    await open(`http://receiver.example:${port}/hook`, { lookup: resolving('127.0.0.1') })(EVENT);

    expect(received[0]?.headers.host).toBe(`receiver.example:${port}`);
  });
});

it('reports a header with a character that no header may have, without its value', async () => {
  const { url, received } = await receiver(204);

  const answer = await open(url, { headers: async () => ({ authorization: 'Bearer abc\ndef' }) })(EVENT);

  expect(answer).toEqual({ failure: 'ERR_INVALID_CHAR', requestMs: expect.any(Number) });
  expect(received).toHaveLength(0);
});

it('reports a secret that can’t sign, without the secret', async () => {
  const { url, received } = await receiver(204);

  const answer = await open(url, { keys: async () => [parseSigningSecret('{"secret":"abc"}')] })(EVENT);

  expect(answer).toMatchObject({ failure: expect.stringContaining('it is JSON') });
  expect(JSON.stringify(answer)).not.toContain('abc');
  expect(received).toHaveLength(0);
});
