import { describe, expect, it } from 'vitest';
import { change } from './deliveries.ts';
import { receiverUnderTest } from './receiver-under-test.ts';
import { attempt, OTHER_SECRET, post, SECRET, signedHeaders } from './signed-requests.ts';

// webhook-receiver.property.test.ts alters any part of what is signed.
describe('the signature', () => {
  it.each<[string, (request: Request) => Request | Promise<Request>]>([
    ['is missing', (request) => without(request, 'webhook-signature')],
    ['has no id', (request) => without(request, 'webhook-id')],
    ['has no timestamp', (request) => without(request, 'webhook-timestamp')],
    ['is by another secret', () => attempt(change(1, 1), { secret: OTHER_SECRET })],
    ['is too old', () => attempt(change(1, 1), { ageSeconds: 302 })],
    ['is from the future', () => attempt(change(1, 1), { ageSeconds: -302 })],
    [
      'is of a body without its byte order mark',
      async (request) => post(`\uFEFF${await request.text()}`, headersOf(request)),
    ],
    [
      'is of a body with a replaced character',
      () => {
        const body = JSON.stringify({ ...change(1, 1), note: '\uFFFD' });
        const [before = '', after = ''] = body.split('\uFFFD');
        const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
        return post(bytes, signedHeaders(body));
      },
    ],
  ])('is rejected with 401 if it %s', async (_name, alter) => {
    const { receiver, handled, log } = receiverUnderTest();

    const response = await receiver(await alter(attempt(change(1, 1))));

    expect(response.status).toBe(401);
    expect(handled).toEqual([]);
    expect(log.lines).toEqual([
      { level: 'warn', message: 'Rejected a webhook.', fields: { reason: expect.any(String) } },
    ]);
  });

  it.each([-290, 0, 290])('is accepted at an age of %i seconds', async (ageSeconds) => {
    const { receiver } = receiverUnderTest();

    expect((await receiver(attempt(change(1, 1), { ageSeconds }))).status).toBe(204);
  });

  it('covers a body beyond ASCII', async () => {
    const names: unknown[] = [];
    const { receiver } = receiverUnderTest({
      on: {
        'shipment.status_changed': ({ data }) => void names.push(data.return_group.order.name),
      },
    });
    const event = change(1, 1);
    const order = { id: 9001, name: '№ 1042 – Größe „S“ 👟', platform_id: '5001' };

    const response = await receiver(attempt({ ...event, data: withOrder(event.data, order) } as never));

    expect(response.status).toBe(204);
    expect(names).toEqual([order.name]);
  });
});

function withOrder(data: unknown, order: object): object {
  const { return_group, ...rest } = data as { return_group: object };
  return { ...rest, return_group: { ...return_group, order } };
}

describe('secrets', () => {
  const signedBy = (secret: string, ...previous: string[]) => attempt(change(1, 1), { secret, previous });

  it('may be several, and any of them may have signed', async () => {
    const { receiver } = receiverUnderTest({ secrets: [SECRET, `whsec_${OTHER_SECRET}`] });

    expect((await receiver(signedBy(SECRET))).status).toBe(204);
    expect((await receiver(signedBy(OTHER_SECRET))).status).toBe(204);
  });

  it('may be only one of those that signed, as during a rotation', async () => {
    const third = 'third'.repeat(8);
    const { receiver } = receiverUnderTest({ secrets: OTHER_SECRET });

    expect((await receiver(signedBy(SECRET, OTHER_SECRET))).status).toBe(204);
    expect((await receiver(signedBy(OTHER_SECRET, SECRET))).status).toBe(204);
    expect((await receiver(signedBy(SECRET, third))).status).toBe(401);
  });

  it('may come from a function, so that a rotation needs no restart', async () => {
    let current = [SECRET];
    const { receiver } = receiverUnderTest({ secrets: async () => current });
    const before = await receiver(signedBy(OTHER_SECRET));

    current = [OTHER_SECRET];
    const after = await receiver(signedBy(OTHER_SECRET));

    expect([before.status, after.status]).toEqual([401, 204]);
  });

  it.each([
    ['nothing', undefined, /not a text.*environment variable/],
    ['an empty text', '', /empty.*environment variable/],
    ['the prefix alone', 'whsec_', /empty/],
    ['an empty list', [], /at least one/],
    ['JSON', '{"secret":"abcd"}', /is JSON/],
    ['a line break', `${SECRET}\n`, /white space/],
    ['other characters', 'not a secret', /not base64/],
    ['a cut-off secret', SECRET.slice(1), /not base64/],
    ['a secret that can be guessed', 'whsec_YWJj', /has 3 bytes.*at least 24/],
    ['a secret of 23 bytes', Buffer.alloc(23, 1).toString('base64'), /has 23 bytes/],
    ['one bad secret of two', [SECRET, '***'], /secret 2 is not base64/],
  ])('that are malformed throw at once, with a remedy in the message: %s', (_name, secrets, message) => {
    const create = () => receiverUnderTest({ secrets: secrets as never });

    expect(create).toThrow(message);
    expect(create).toThrow(/`npx --no returns-feed webhooks secret` prints/);
    expect(create).not.toThrow(/abcd/);
  });

  it('may have 24 bytes, the fewest of Standard Webhooks', async () => {
    const short = Buffer.alloc(24, 1).toString('base64');
    const { receiver } = receiverUnderTest({ secrets: short });

    expect((await receiver(signedBy(short))).status).toBe(204);
  });

  it('cause a 500 if a function returns malformed ones, with the reason in the log', async () => {
    const { receiver, log } = receiverUnderTest({ secrets: () => 'not a secret' });

    const response = await receiver(attempt(change(1, 1)));

    expect(response.status).toBe(500);
    expect(String(log.lines[0]?.fields.error)).toMatch(/not base64/);
  });
});

const headersOf = (request: Request) => Object.fromEntries(request.headers);

function without(request: Request, name: string): Request {
  request.headers.delete(name);
  return request;
}
