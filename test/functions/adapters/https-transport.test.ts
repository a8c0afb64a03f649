import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpsTransport, type HttpsTransport } from '../../../functions/adapters/https-transport.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  TransportFailure,
} from '../../../shared/returns-service/http-transport.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed-certificate.ts';

const BODY = JSON.stringify([{ name: 'Rosalind Quimby', text: 'x'.repeat(1_000) }]);

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function open(): HttpsTransport {
  const transport = createHttpsTransport();
  opened.push(transport);
  return transport;
}

async function listen(server: Server | TcpServer, protocol = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    close() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

/** Answers each connection with these bytes, regardless of the request, and ends it. */
function serveBytes(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  return listen(server);
}

function request(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { url, headers: { 'X-Service-Api-Token': 'tok_1a2b' }, timeoutMs: 5_000, maxBytes: 10_000, ...more };
}

async function failureOf(answer: Promise<HttpAnswer>): Promise<TransportFailure> {
  const outcome = await answer.catch((error: unknown) => error);
  if (outcome instanceof TransportFailure) return outcome;
  throw new Error('no TransportFailure was thrown', { cause: outcome });
}

function textOf({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}

describe('an answer', () => {
  it('has its status, headers and body', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serve((incoming, response) => {
      seen.push(incoming);
      response.writeHead(429, { 'Retry-After': '7', 'Set-Cookie': ['a=1', 'b=2'] }).end(BODY);
    });

    const answer = await open()(request(`${url}/api/v2/return-groups?min=%2B`));
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7', 'set-cookie': 'a=1, b=2' } });
    expect(textOf(answer)).toBe(BODY);
    expect(answer.requestMs).toBeGreaterThan(0);
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '/api/v2/return-groups?min=%2B',
        headers: { 'x-service-api-token': 'tok_1a2b', 'accept-encoding': 'gzip' },
      },
    ]);
  });

  it('may be empty', async () => {
    const url = await serve((_, response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end());

    expect((await open()(request(url))).body).toHaveLength(0);
  });

  it('is decompressed', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'GZIP' }).end(gzipSync(BODY)),
    );

    expect(textOf(await open()(request(url)))).toBe(BODY);
  });

  it('that redirects is returned, not followed', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });

    expect(await open()(request(url))).toMatchObject({ status: 302 });
    expect(requests).toBe(1);
  });
});

describe('connections', () => {
  it('are kept open from one request to the next', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((incoming, response) => {
      ports.add(incoming.socket.remotePort);
      response.end(BODY);
    });
    const transport = open();

    for (let turn = 0; turn < 3; turn += 1) await transport(request(url));
    expect(ports.size).toBe(1);
  });

  it('that the service has closed fail like any other, and no request is sent twice', async () => {
    let requests = 0;
    const url = await serve((incoming, response) => {
      requests += 1;
      if (requests === 1) response.end(BODY);
      else incoming.socket.destroy();
    });
    const transport = open();
    await transport(request(url));

    expect(await failureOf(transport(request(url)))).toMatchObject({
      kind: 'connection',
      code: 'ECONNRESET',
    });
    expect(requests).toBe(2);
  });

  it('are not used again after a failed request', async () => {
    const sockets = new Set<unknown>();
    const url = await serve((incoming, response) => {
      sockets.add(incoming.socket);
      if (incoming.url === '/large') response.end('x'.repeat(20_000));
      else response.end(BODY);
    });
    const transport = open();

    await failureOf(transport(request(`${url}/large`)));
    expect(textOf(await transport(request(`${url}/small`)))).toBe(BODY);
    expect(sockets.size).toBe(2);
  });

  it('end when the transport is closed', async () => {
    let closed: Promise<unknown> = Promise.reject(new Error('no connection'));
    closed.catch(() => undefined);
    const url = await serve((incoming, response) => {
      closed = new Promise((resolve) => incoming.socket.once('close', () => resolve('closed')));
      response.end(BODY);
    });
    const transport = open();
    await transport(request(url));

    transport.close();
    await expect(closed).resolves.toBe('closed');
  });
});

describe('no answer', () => {
  it('comes from an address without a listener', async () => {
    const server = createTcpServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED' });
  });

  it('comes over a connection that is closed or reset before it', async () => {
    const closing = await serve((incoming) => incoming.socket.destroy());
    const resetting = await serve((incoming) => incoming.socket.resetAndDestroy());

    for (const url of [closing, resetting]) {
      expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'connection', code: 'ECONNRESET' });
    }
  });

  it('comes from a server without HTTP, and no error contains its bytes', async () => {
    const url = await serveBytes('Rosalind Quimby <rosalind@quimby.test>\r\n\r\n');

    const failure = await failureOf(open()(request(url)));
    expect(failure.kind).toBe('connection');
    expect(failure.code).toMatch(/^HPE_/);
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/Rosalind|quimby|tok_1a2b/);
    // Node's error contains the bytes that it could not parse.
    expect(failure.cause).not.toHaveProperty('rawPacket');
  });

  it('comes with an untrusted certificate', async () => {
    const credentials = { key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE };
    let requests = 0;
    const server = createHttpsServer(credentials, () => {
      requests += 1;
    });
    const url = await listen(server, 'https');

    expect(await failureOf(open()(request(url)))).toMatchObject({
      kind: 'connection',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(requests).toBe(0);
  });

  it('comes over TLS from a server without TLS', async () => {
    const url = await serve((_, response) => response.end(BODY));

    const failure = await failureOf(open()(request(url.replace('http:', 'https:'))));
    expect(failure.kind).toBe('connection');
    expect(failure.code).toMatch(/^(?:EPROTO|ERR_SSL_)/);
  });

  it('is awaited beyond the time limit', async () => {
    const silent = await serve(() => undefined);

    expect(await failureOf(open()(request(silent, { timeoutMs: 30 })))).toMatchObject({
      kind: 'timeout',
      status: undefined,
    });
  });

  it('stays on the connection of an abandoned request', async () => {
    let closed: Promise<unknown> = Promise.reject(new Error('no connection'));
    closed.catch(() => undefined);
    const silent = await serve((incoming) => {
      closed = new Promise((resolve) => incoming.socket.once('close', () => resolve('closed')));
    });

    await failureOf(open()(request(silent, { timeoutMs: 100 })));
    await expect(closed).resolves.toBe('closed');
  });

  it('is requested after the caller aborted', async () => {
    let requests = 0;
    const url = await serve(() => {
      requests += 1;
    });

    const failure = await failureOf(open()(request(url, { signal: AbortSignal.abort() })));
    expect(failure.kind).toBe('aborted');
    expect(requests).toBe(0);
  });

  it('is awaited after the caller aborted', async () => {
    const abandonment = new AbortController();
    const url = await serve(() => abandonment.abort(new Error('tok_1a2b')));

    const failure = await failureOf(open()(request(url, { signal: abandonment.signal })));
    expect(failure.kind).toBe('aborted');
    expect(inspect(failure)).not.toContain('tok_1a2b');
  });
});

describe('an answer that breaks off', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n';

  it.each([
    ['before its announced length', `${HEAD}Content-Length: 100\r\n\r\n[{}]`],
    ['before its last chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n4\r\n[{}]\r\n`],
  ])('%s is reported as truncated, with its head', async (_, bytes) => {
    const failure = await failureOf(open()(request(await serveBytes(bytes))));

    expect(failure).toMatchObject({
      kind: 'truncated',
      status: 200,
      headers: { date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
    });
  });

  it('by a reset is reported as truncated', async () => {
    const url = await serve((incoming, response) => {
      response.write('[{}', () => incoming.socket.resetAndDestroy());
    });

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'truncated', status: 200 });
  });

  it('inside its compression is reported as truncated', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BODY).subarray(0, -9)),
    );

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'truncated' });
  });

  it('by never ending times out, even if bytes keep arriving', async () => {
    const url = await serve((_, response) => {
      const trickle = setInterval(() => response.write('['), 5);
      response.once('close', () => clearInterval(trickle));
    });

    expect(await failureOf(open()(request(url, { timeoutMs: 60 })))).toMatchObject({
      kind: 'timeout',
      status: 200,
    });
  });
});

describe('an answer that can not be used', () => {
  it.each([
    ['br', gzipSync(BODY)],
    ['gzip, gzip', gzipSync(BODY)],
    ['gzip', Buffer.from(BODY)],
  ])('is undecodable by its encoding: %s', async (encoding, bytes) => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'undecodable', status: 200 });
  });

  it('is too large by its announced length, before its body is read', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-length': 10_001 }).flushHeaders(),
    );

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'too-large' });
  });

  it('is too large by its body', async () => {
    const url = await serve((_, response) => {
      response.write('x'.repeat(6_000));
      response.end('x'.repeat(6_000));
    });

    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'too-large' });
  });

  it('is too large by its decompressed body', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );

    expect(bomb.byteLength).toBeLessThan(10_000);
    expect(await failureOf(open()(request(url)))).toMatchObject({ kind: 'too-large' });
  });

  it('of exactly the allowed size is accepted', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(10_000)));

    expect((await open()(request(url))).body).toHaveLength(10_000);
  });
});
