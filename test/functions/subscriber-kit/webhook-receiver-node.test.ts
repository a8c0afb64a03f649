// The adapter for `node:http`, over real sockets, by itself and in Express.
import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { toNodeHandler } from '../../../functions/subscriber-kit/to-node-handler.ts';
import { change } from './deliveries.ts';
import { deferred, receiverUnderTest } from './receiver-under-test.ts';
import { signedHeaders } from './signed-requests.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** @returns the server's port */
async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** 64 MB: what a sender writes into the buffers of its machine is less. */
const MOST_CHUNKS = 1_000;
const BODY = JSON.stringify({ ...change(1, 1), note: '№ 1042 – Größe „S“ 👟' });

async function send(port: number, headers = signedHeaders(BODY), body = BODY, method = 'POST') {
  const init = method === 'GET' ? { method, headers } : { method, headers, body };
  const response = await fetch(`http://127.0.0.1:${port}/hook`, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('a receiver behind node:http', () => {
  it('handles an event with a signature over the bytes of the socket', async () => {
    const { receiver, handled } = receiverUnderTest();
    const port = await listen(toNodeHandler(receiver));

    const answered = await send(port);

    expect(answered).toMatchObject({ status: 204, text: '' });
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('joins a body that arrives in pieces within a character', async () => {
    const { receiver, handled } = receiverUnderTest();
    const port = await listen(toNodeHandler(receiver));
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: signedHeaders(BODY) });
    sent.setNoDelay();
    const answered = once(sent, 'response');
    const bytes = Buffer.from(BODY);
    const cut = bytes.indexOf(Buffer.from('👟')) + 2;

    await new Promise((resolve) => sent.write(bytes.subarray(0, cut), resolve));
    sent.end(bytes.subarray(cut));

    const [response] = await answered;
    expect(response.statusCode).toBe(204);
    expect(handled).toHaveLength(1);
    response.resume();
  });

  it.each(['GET', 'PUT', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { receiver } = receiverUnderTest();
    const port = await listen(toNodeHandler(receiver));

    const answered = await send(port, undefined, undefined, method);

    expect(answered.status).toBe(405);
    expect(answered.headers.get('allow')).toBe('POST');
  });

  it('answers 401 to a wrong signature', async () => {
    const { receiver } = receiverUnderTest();
    const port = await listen(toNodeHandler(receiver));

    expect((await send(port, signedHeaders(`${BODY} `))).status).toBe(401);
  });

  it.each([
    ['does not end', 'transfer-encoding: chunked'],
    ['declares more than the limit', 'content-length: 9000000000'],
  ])('answers 413 to a body that %s, and ends the connection', async (_, header) => {
    const { receiver } = receiverUnderTest();
    const sender = connect(await listen(toNodeHandler(receiver)), '127.0.0.1');
    const ended = new Promise((resolve) => sender.on('close', resolve));
    let answered = '';
    sender.setEncoding('latin1').on('data', (text) => {
      answered += text;
    });
    sender.on('error', () => {});
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let written = 0;
    const write = (error?: Error | null) => {
      if (error || written === MOST_CHUNKS) return;
      written += 1;
      sender.write(chunk, write);
    };

    sender.write(`POST /hook HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`, write);
    await ended;

    expect(answered).toMatch(/^HTTP\/1\.1 413 /);
    expect(written).toBeLessThan(MOST_CHUNKS);
  });

  it('survives a sender that breaks off', async () => {
    const { receiver, log } = receiverUnderTest();
    const port = await listen(toNodeHandler(receiver));
    const headers = { ...signedHeaders(BODY), 'content-length': '5000' };
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers });
    sent.on('error', () => {});
    await new Promise((resolve) => sent.write('{"half":', resolve));
    sent.destroy();

    await expect.poll(() => log.lines.length).toBe(1);
    expect((await send(port)).status).toBe(204);
  });
});

it('a receiver finishes an event whose sender has gone, and is busy with its return until then', async () => {
  const [begun, work] = [deferred(), deferred()];
  const handled: string[] = [];
  const { receiver } = receiverUnderTest({
    on: {
      'shipment.status_changed': async ({ id }) => {
        begun.resolve();
        await work.promise;
        handled.push(id);
      },
    },
  });
  const handle = toNodeHandler(receiver);
  const gone = deferred();
  const port = await listen((request, response) => {
    response.once('close', gone.resolve);
    handle(request, response);
  });
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: signedHeaders(BODY) });
  sent.on('error', () => {});
  sent.end(BODY);
  await begun.promise;
  sent.destroy();
  await gone.promise;

  const busy = await send(port);
  work.resolve();
  await expect.poll(() => handled.length).toBe(1);

  expect(busy.status).toBe(409);
  expect((await send(port)).status).toBe(204);
  expect(handled).toHaveLength(1);
});

describe('a receiver in Express', () => {
  it('takes the raw body itself', async () => {
    const { receiver, handled } = receiverUnderTest();
    const app = express();
    app.post('/hook', toNodeHandler(receiver));
    app.use(express.json());
    const port = await listen(app);

    expect((await send(port)).status).toBe(204);
    expect(handled).toHaveLength(1);
  });

  it.each([
    ['express.json()', express.json({ type: '*/*' })],
    ['express.raw()', express.raw({ type: '*/*' })],
    ['express.text()', express.text({ type: '*/*' })],
  ])('reports the problem behind %s', async (_name, parser) => {
    const { receiver, handled, log } = receiverUnderTest();
    const app = express();
    app.use(parser);
    app.post('/hook', toNodeHandler(receiver));
    const port = await listen(app);

    const answered = await send(port);

    expect(answered.status).toBe(500);
    expect(answered.text).toMatch(/before `express\.json\(\)`/);
    expect(log.lines[0]?.message).toMatch(/before `express\.json\(\)`/);
    expect(handled).toEqual([]);
  });
});
