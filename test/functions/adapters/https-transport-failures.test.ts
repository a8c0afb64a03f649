import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { closeAll, listen, serve, serveBytes } from './listeners.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed-certificate.ts';
import { BODY, failureOf, open, request } from './transport-under-test.ts';

afterEach(closeAll);
afterEach(() => {
  vi.unstubAllEnvs();
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

  const TLS = { key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE };
  const BOTH_LENGTHS = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n';
  const reasons: [string, () => Promise<string>, string][] = [
    [
      'more headers than 64 KB',
      () => serve((_, response) => response.writeHead(200, { 'x-large': 'x'.repeat(70_000) }).end()),
      'the headers of its answer have more than 64 KB',
    ],
    ['two lengths', () => serveBytes(BOTH_LENGTHS), 'its answer breaks the rules of HTTP'],
    ['no HTTP', () => serveBytes('+OK ready\r\n'), 'does not speak HTTP, or not without TLS'],
    [
      'a wish for a certificate',
      () => listen(createHttpsServer({ ...TLS, requestCert: true, rejectUnauthorized: true }), 'https'),
      'it asks for a certificate of the client',
    ],
    [
      'an old version of TLS',
      () => {
        const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
        return listen(createHttpsServer({ ...TLS, ...old }), 'https');
      },
      'it speaks no version of TLS that is safe',
    ],
    [
      'no TLS',
      async () => (await serve((_, response) => response.end(BODY))).replace('http:', 'https:'),
      'what answers there does not speak TLS',
    ],
  ];
  it.each(reasons)('because of %s is explained by it', async (_, start, words) => {
    // The test's certificate is its own.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const client = createReturnsServiceClient({
      baseUrl: await start(),
      token: 'tok_1a2b',
      transport: open(),
    });

    await expect(client.listReturnGroups({})).rejects.toThrow(words);
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

    await failureOf(open()(request(silent, { timeoutMs: 1_000 })));
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

const HEAD = 'HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n';
const BOMB = gzipSync(Buffer.alloc(5_000_000));
const truncated = { kind: 'truncated', status: 200 };
const encoded =
  (encoding: string, bytes: Buffer): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes);

describe('an answer that breaks off or can’t be used', () => {
  it.each<[string, string | RequestListener, object]>([
    [
      'truncated, with its head, before its announced length',
      `${HEAD}Content-Length: 100\r\n\r\n[{}]`,
      { ...truncated, headers: { date: 'Sat, 21 Nov 2026 12:00:00 GMT' } },
    ],
    [
      'truncated, with its head, before its last chunk',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n4\r\n[{}]\r\n`,
      { ...truncated, headers: { date: 'Sat, 21 Nov 2026 12:00:00 GMT' } },
    ],
    [
      'truncated by a reset',
      ({ socket }, response) => response.write('[{}', () => socket.resetAndDestroy()),
      truncated,
    ],
    ['truncated inside its compression', encoded('gzip', gzipSync(BODY).subarray(0, -9)), truncated],
    ['undecodable as br', encoded('br', brotliCompressSync(BODY)), { kind: 'undecodable', status: 200 }],
    ['undecodable as gzip', encoded('gzip', deflateSync(BODY)), { kind: 'undecodable', status: 200 }],
    [
      'undecodable as gzip, deflate',
      encoded('gzip, deflate', Buffer.from([0x5b, 0xff])),
      { kind: 'undecodable', status: 200 },
    ],
    [
      'too large by its announced length, before its body is read',
      (_, response) => response.writeHead(200, { 'content-length': 10_001 }).flushHeaders(),
      { kind: 'too-large' },
    ],
    [
      'too large by its body',
      (_, response) => {
        response.write('x'.repeat(6_000));
        response.end('x'.repeat(6_000));
      },
      { kind: 'too-large' },
    ],
    ['too large by its decompressed body', encoded('gzip', BOMB), { kind: 'too-large' }],
  ])('is %s', async (_, answer, failure) => {
    const url = await (typeof answer === 'string' ? serveBytes(answer) : serve(answer));

    expect(await failureOf(open()(request(url)))).toMatchObject(failure);
  });

  it('times out if it never ends, even if bytes keep arriving', async () => {
    const url = await serve((_, response) => {
      const trickle = setInterval(() => response.write('['), 5);
      response.once('close', () => clearInterval(trickle));
    });

    expect(await failureOf(open()(request(url, { timeoutMs: 1_000 })))).toMatchObject({
      kind: 'timeout',
      status: 200,
    });
  });
});

it('an answer of exactly the allowed size is accepted', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(10_000)));

  expect(BOMB.byteLength).toBeLessThan(10_000);
  expect((await open()(request(url))).body).toHaveLength(10_000);
});
