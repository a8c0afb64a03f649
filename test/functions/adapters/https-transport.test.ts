import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { closeAll, serve } from './listeners.ts';
import { BODY, failureOf, open, request, textOf } from './transport-under-test.ts';

afterEach(closeAll);

describe('an answer', () => {
  it('has its status, headers and body', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serve((incoming, response) => {
      seen.push(incoming);
      response.writeHead(429, { 'Retry-After': '7', 'Set-Cookie': ['a=1', 'b=2'] }).end(BODY);
    });

    const answer = await open()(request(`${url}/api/v2/return-groups?min=%2B`));
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7', 'set-cookie': 'a=1' } });
    expect(textOf(answer)).toBe(BODY);
    expect(answer.requestMs).toBeGreaterThan(0);
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '/api/v2/return-groups?min=%2B',
        headers: {
          ...{ 'x-service-api-token': 'tok_1a2b', 'accept-encoding': 'gzip' },
          'user-agent': `returns-change-feed/${manifest.version}`,
        },
      },
    ]);
  });

  it('may have 60 KB of headers, and several of one name, of which the first counts', async () => {
    const cookies = Array.from({ length: 15 }, (_, at) => `c${at}=${'x'.repeat(4_000)}`);
    const dates = ['Sat, 21 Nov 2026 12:00:00 GMT', 'Sat, 21 Nov 2026 13:00:00 GMT'];
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Set-Cookie': cookies, Date: dates }).end(BODY);
    });

    const answer = await open()(request(url));

    expect(answer).toMatchObject({ status: 200, headers: { date: dates[0] } });
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

  it.each([
    ['a charset', 'utf-8', BODY],
    ['nothing', 'none', BODY],
    ['an empty text', '', BODY],
    ['gzip, which a proxy has unpacked', 'gzip', BODY],
    ['br, which a proxy has unpacked', 'br', ` ${BODY}`],
    ['a charset beside gzip', 'gzip, utf-8', gzipSync(BODY)],
    ['nothing, although it is compressed', 'identity', gzipSync(BODY)],
  ])('is read by its body if its encoding names %s', async (_, encoding, bytes) => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );

    expect(textOf(await open()(request(url))).trim()).toBe(BODY);
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
