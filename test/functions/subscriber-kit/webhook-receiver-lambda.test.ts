import { describe, expect, it } from 'vitest';
import { toLambdaHandler } from '../../../functions/subscriber-kit/to-lambda-handler.ts';
import { change } from './deliveries.ts';
import { receiverUnderTest } from './receiver-under-test.ts';
import { signedHeaders } from './signed-requests.ts';

const BODY = JSON.stringify({ ...change(1, 1), note: '№ 1042 – Größe „S“ 👟' });

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

describe('a receiver behind a function URL', () => {
  it('handles a signed event', async () => {
    const { receiver, handled } = receiverUnderTest();

    const answered = await toLambdaHandler(receiver)(urlEvent());

    expect(answered).toEqual({ statusCode: 204, headers: {}, body: '' });
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('decodes a body in base64', async () => {
    const { receiver, handled } = receiverUnderTest();
    const body = Buffer.from(BODY).toString('base64');

    const answered = await toLambdaHandler(receiver)(urlEvent({ body, isBase64Encoded: true }));

    expect(answered.statusCode).toBe(204);
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('answers 401 to a wrong signature, with the reason', async () => {
    const { receiver } = receiverUnderTest();

    const answered = await toLambdaHandler(receiver)(urlEvent({ body: `${BODY} ` }));

    expect(answered.statusCode).toBe(401);
    expect(answered.body).toMatch(/signature/);
    expect(answered.headers['content-type']).toMatch(/text\/plain/);
  });

  it('answers 401 to an empty request, and 405 to a GET', async () => {
    const handler = toLambdaHandler(receiverUnderTest().receiver);

    const empty = await handler(urlEvent({ body: undefined, headers: {} }));
    const get = await handler(urlEvent({ body: undefined }, 'GET'));

    expect([empty.statusCode, get.statusCode]).toEqual([401, 405]);
    expect(get.headers.allow).toBe('POST');
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
