// How an event is posted: its bytes, signature and headers, on which connection and to which address.
import { randomBytes } from 'node:crypto';
import { createServer as createTcpServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { parseSigningSecret } from '../../../functions/adapters/webhook-signature.ts';
import { closeAll, listen } from './listeners.ts';
import { EVENT, open, receiver, SECRET } from './webhook-post-under-test.ts';

afterEach(closeAll);

describe('a posted event', () => {
  it('is signed over the bytes at the socket, so that Standard Webhooks verifies it', async () => {
    const { url, received } = await receiver(204);

    expect(await open(url)(EVENT)).toMatchObject({ status: 204 });

    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received;
    expect(body.equals(Buffer.from(EVENT.body))).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'webhook-id': EVENT.id,
      'user-agent': expect.stringMatching(/^returns-change-feed\//),
    });
    expect(() => new Webhook(SECRET).verify(body.toString('utf8'), headers)).not.toThrow();
    expect(() => new Webhook(SECRET).verify(`${body.toString('utf8')} `, headers)).toThrow('signature');
  });

  it('has the media type that its receiver needs', async () => {
    const { url, received } = await receiver(204);

    await open(url, { contentType: 'application/json' })(EVENT);

    expect(received[0]?.headers['content-type']).toBe('application/json');
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
