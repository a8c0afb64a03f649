// A receiver in each host: as a handler of web requests, behind a function URL, behind `node:http` over real sockets, and
// in Express.
import { once } from 'node:events';
import { request as httpRequest, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { toLambdaHandler } from '../../../functions/subscriber-kit/to-lambda-handler.ts';
import { toNodeHandler } from '../../../functions/subscriber-kit/to-node-handler.ts';
import type { WebhookReceiver } from '../../../functions/subscriber-kit/webhook-receiver.ts';
import { closeAll, serve } from '../adapters/listeners.ts';
import { change } from './deliveries.ts';
import { deferred, receiverUnderTest } from './receiver-under-test.ts';
import { signedHeaders } from './signed-requests.ts';

const BODY = JSON.stringify({ ...change(1, 1), note: '№ 1042 – Größe „S“ 👟' });

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

afterEach(closeAll);

/** @returns the server's port */
const listen = async (listener: RequestListener) => Number(new URL(await serve(listener)).port);

async function send(port: number, headers = signedHeaders(BODY), body = BODY, method = 'POST') {
  const init = BODILESS.has(method) ? { method, headers } : { method, headers, body };
  return answeredBy(await fetch(`http://127.0.0.1:${port}/hook`, init));
}

async function answeredBy(response: Response) {
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, text: await response.text(), headers };
}

/** An event of payload format 2.0, as a function URL has it. */
function urlEvent(others: Record<string, unknown> = {}, method = 'POST') {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: { host: 'abc.lambda-url.eu-central-1.on.aws', ...signedHeaders(BODY) },
    requestContext: { http: { method, path: '/', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' } },
    body: BODY,
    isBase64Encoded: false,
    ...others,
  };
}

type Send = (
  receiver: WebhookReceiver,
  headers: Record<string, string>,
  method: string,
) => ReturnType<typeof send>;

const HOSTS: readonly (readonly [name: string, send: Send])[] = [
  [
    'a runtime with web standards',
    async (receiver, headers, method) => {
      const body = BODILESS.has(method) ? null : BODY;
      return answeredBy(await receiver(new Request('http://receiver.test/hook', { method, headers, body })));
    },
  ],
  [
    'a function URL',
    async (receiver, headers, method) => {
      const answered = await toLambdaHandler(receiver)(urlEvent({ headers }, method));
      return { status: answered.statusCode, text: answered.body, headers: answered.headers };
    },
  ],
  [
    'node:http',
    async (receiver, headers, method) => send(await listen(toNodeHandler(receiver)), headers, BODY, method),
  ],
  [
    'Express',
    async (receiver, headers, method) => {
      const app = express();
      app.all('/hook', toNodeHandler(receiver));
      app.use(express.json());
      return send(await listen(app), headers, BODY, method);
    },
  ],
];

describe.each(HOSTS)('a receiver in %s', (_, sendTo) => {
  it('handles an event with a signature over the bytes of its body', async () => {
    const { receiver, handled } = receiverUnderTest();

    const answered = await sendTo(receiver, signedHeaders(BODY), 'POST');

    expect(answered).toMatchObject({ status: 204, text: '' });
    expect(handled).toEqual([change(1, 1).id]);
  });

  it.each([
    ['a wrong signature', signedHeaders(`${BODY} `)],
    ['no signature', {}],
  ])('answers 401 to %s, with the reason', async (_name, headers) => {
    const { receiver, handled } = receiverUnderTest();

    const answered = await sendTo(receiver, headers, 'POST');

    expect(answered).toMatchObject({ status: 401, text: expect.stringMatching(/signature|header/i) });
    expect(answered.headers['content-type']).toMatch(/text\/plain/);
    expect(handled).toEqual([]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { receiver } = receiverUnderTest();

    const answered = await sendTo(receiver, signedHeaders(BODY), method);

    expect(answered).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });
});

describe('a receiver behind a function URL', () => {
  it('decodes a body in base64', async () => {
    const { receiver, handled } = receiverUnderTest();
    const body = Buffer.from(BODY).toString('base64');

    const answered = await toLambdaHandler(receiver)(urlEvent({ body, isBase64Encoded: true }));

    expect(answered.statusCode).toBe(204);
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('answers 400 to another payload format, and names the one that it needs', async () => {
    const handler = toLambdaHandler(receiverUnderTest().receiver);

    const answered = await handler({ httpMethod: 'POST', headers: {}, body: BODY });

    expect(answered).toMatchObject({ statusCode: 400, body: expect.stringContaining('payload format 2.0') });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'event'],
    ['an event without a method', urlEvent({ requestContext: {} })],
    ['a header that no request may have', urlEvent({ headers: { 'webhook-id': 'a\nb' } })],
    ['a header without a name', urlEvent({ headers: { '': 'a' } })],
    ['a header that is a list', urlEvent({ headers: { a: ['b'] } })],
    ['a body that is not base64', urlEvent({ body: '%%%', isBase64Encoded: true })],
    ['a body that is an object', urlEvent({ body: {} })],
  ])('answers 400 to %s', async (_, event) => {
    const { receiver, handled } = receiverUnderTest();

    const answered = await toLambdaHandler(receiver)(event);

    expect(answered.statusCode).toBe(400);
    expect(handled).toEqual([]);
  });

  it('takes null for a header, the headers or the body that a request does not have', async () => {
    const handler = toLambdaHandler(receiverUnderTest().receiver);

    const answers = [
      await handler(urlEvent({ body: null, headers: null })),
      await handler(urlEvent({ headers: { ...signedHeaders(BODY), cookie: null } })),
    ];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 204]);
  });
});

/** 64 MB: what a sender writes into the buffers of its machine is less. */
const MOST_CHUNKS = 1_000;
describe('a receiver behind node:http', () => {
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
