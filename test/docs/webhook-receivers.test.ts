// The receivers of docs/webhooks.md: the page links the files, and each file does what the page describes.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { CONTENT_TYPES } from '../../shared/deployment/content-type.ts';
import { change } from '../functions/subscriber-kit/deliveries.ts';
import {
  OTHER_SECRET,
  SECRET,
  type Signing,
  signedHeaders,
} from '../functions/subscriber-kit/signed-requests.ts';
import { runFeed } from '../local/cli/run-feed.ts';
import {
  type CommandFor,
  EXAMPLES,
  ofGo,
  ofJava,
  ofPython,
  ofTypeScript,
  type Preparation,
  type RunningReceiver,
  startReceiver,
} from './run-receiver.ts';
import { startWarehouseSystem, type WarehouseSystem } from './warehouse-system.ts';

const PAGE = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const MAKE_TIMEOUT = 240_000;

test.each(readdirSync(EXAMPLES))('docs/webhooks.md links docs/examples/webhooks/%s', (file) => {
  expect(PAGE).toContain(`](examples/webhooks/${file})`);
});

test('docs/webhooks.md shows the receiver in Express unchanged, in 15 lines at most', () => {
  const text = readFileSync(join(EXAMPLES, 'express.ts'), 'utf8');

  expect(PAGE).toContain(`\`\`\`ts\n${text}\`\`\``);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
});

/** Of the webhook of a receiver that reads no JSON: the one of the page. */
const DELIVERED = ['--filter', '{"entities":["shipment"],"to":["DELIVERED"]}'];

describe.each([
  ['Express', ofTypeScript('express.ts'), []],
  ['Hono', ofTypeScript('hono.ts'), []],
  ['Python', ofPython, []],
  ['Java', ofJava, DELIVERED],
  ['Go', ofGo, []],
] as [string, Preparation, readonly string[]][])('the receiver in %s', (_language, prepare, filter) => {
  let warehouse: WarehouseSystem;
  let receiver: RunningReceiver | undefined;
  let command: CommandFor | undefined;
  let missing: string | undefined;

  beforeAll(async () => {
    warehouse = await startWarehouseSystem();
    const env = { WEBHOOK_SECRET: SECRET, WMS_URL: warehouse.url };
    const prepared = await prepare();
    if (typeof prepared === 'string') missing = prepared;
    else {
      command = prepared;
      receiver = await startReceiver(prepared, env);
    }
  }, MAKE_TIMEOUT);
  afterAll(async () => {
    await receiver?.stop();
    await warehouse.stop();
  });
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });

  /** @returns the status of the answer */
  async function send(
    event: FeedEvent,
    signing: Signing = {},
    sent = JSON.stringify(event),
  ): Promise<number> {
    const headers = signedHeaders(JSON.stringify(event), { id: event.id, ...signing });
    const response = await fetch(receiver?.url ?? '', { method: 'POST', headers, body: Buffer.from(sent) });
    await response.arrayBuffer();
    return response.status;
  }
  const bookedOf = (group: number) => warehouse.arrivalsOf(group).map(({ id }) => id);

  it('handles a signed event and answers 2xx', async () => {
    expect(await send(change(1, 1))).toBe(204);

    expect(bookedOf(1)).toEqual([change(1, 1).id]);
  });

  it('accepts both media types', async () => {
    for (const [number, contentType] of CONTENT_TYPES.entries())
      expect(await send(change(10, number + 1), { contentType })).toBe(204);

    expect(bookedOf(10)).toEqual([change(10, 1).id, change(10, 2).id]);
  });

  it('rejects a tampered body, another secret, an old timestamp and a missing signature', async () => {
    const event = change(2, 1);
    const body = JSON.stringify(event);
    const unsigned = await fetch(receiver?.url ?? '', { method: 'POST', body });

    const statuses = [
      await send(event, {}, body.replace('1Z1', '1Z2')),
      await send(event, { secret: OTHER_SECRET }),
      await send(event, { ageSeconds: 302 }),
      await send(event, { ageSeconds: -302 }),
      unsigned.status,
    ];

    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(bookedOf(2)).toEqual([]);
  });

  it('does not accept what anybody can sign where its secret is empty', async () => {
    const event = change(11, 1);
    const body = JSON.stringify(event);
    const headers = signedHeaders(body, { id: event.id });
    const signed = createHmac('sha256', '').update(`${event.id}.${headers['webhook-timestamp']}.${body}`);
    const forged = { ...headers, 'webhook-signature': `v1,${signed.digest('base64')}` };
    const env = { WEBHOOK_SECRET: '', WMS_URL: warehouse.url };

    // Most end at once, which is as good.
    const open = await startReceiver(command as CommandFor, env).catch(() => undefined);
    const response = open && (await fetch(open.url, { method: 'POST', headers: forged, body }));
    await open?.stop();

    expect(response?.ok ?? false).toBe(false);
    expect(bookedOf(11)).toEqual([]);
  });

  it('rejects malformed signatures and bodies without a failure', async () => {
    const event = change(9, 1);
    const body = JSON.stringify(event);
    const post = async (headers: Record<string, string>, bytes: Uint8Array<ArrayBuffer>) => {
      const response = await fetch(receiver?.url ?? '', { method: 'POST', headers, body: bytes });
      await response.arrayBuffer();
      return response.status;
    };
    const headers = signedHeaders(body, { id: event.id });
    const bytes = Buffer.from(body);

    const statuses = [
      await post({ ...headers, 'webhook-signature': 'v1' }, bytes),
      await post({ ...headers, 'webhook-signature': 'v1,a v2 ,,' }, bytes),
      await post({ ...headers, 'webhook-timestamp': 'yesterday' }, bytes),
      await post(headers, Buffer.concat([bytes, Buffer.from([0xff])])),
    ];

    expect(statuses).toEqual([401, 401, 401, 401]);
    expect(bookedOf(9)).toEqual([]);
  });

  it('accepts either signature during a rotation', async () => {
    expect(await send(change(3, 1), { secret: OTHER_SECRET, previous: [SECRET] })).toBe(204);
    expect(await send(change(3, 2), { secret: SECRET, previous: [OTHER_SECRET] })).toBe(204);

    expect(bookedOf(3)).toEqual([change(3, 1).id, change(3, 2).id]);
  });

  it('checks the signature over the bytes of a body beyond ASCII', async () => {
    const event = change(4, 1);
    const object = { ...event.data.object, tracking_number: 'Größe „S“ № 7 👟' };
    const odd = { ...event, data: { ...event.data, object } } as FeedEvent;
    const headers = signedHeaders(JSON.stringify(odd), { id: odd.id });
    const bytes = `${odd.id}.${headers['webhook-timestamp']}.${JSON.stringify(odd)}`;
    const overBytes = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(Buffer.from(bytes));

    expect(headers['webhook-signature']).toBe(`v1,${overBytes.digest('base64')}`);
    expect(await send(odd)).toBe(204);
    expect(warehouse.arrivalsOf(4)[0]?.data.object.tracking_number).toBe(object.tracking_number);
  });

  it('handles a duplicate once', async () => {
    expect([await send(change(5, 1)), await send(change(5, 1))]).toEqual([204, 204]);

    expect(bookedOf(5)).toEqual([change(5, 1).id]);
  });

  it('books a parcel under one address when it is delivered again, or has moved to another return', async () => {
    const otherSource = { id: 'berta_mi8x2k_13_1', source: '/sources/berta', partitionkey: 'berta/13' };
    const events = [change(12, 1), change(12, 3), change(13, 1), change(13, 1, otherSource)];

    for (const event of events) expect(await send(event)).toBe(204);

    const booked = [...warehouse.arrivalsOf(12), ...warehouse.arrivalsOf(13)];
    expect(new Set(booked.map(({ address }) => address))).toEqual(new Set(['/sources/acme/arrivals/77120']));
    expect(warehouse.addresses()).toContain('/sources/berta/arrivals/77120');
  });

  it('answers a failure with 5xx, and handles the event when it comes again', async () => {
    warehouse.failOnce(change(6, 1).id);

    expect(await send(change(6, 1))).toBe(500);
    expect(await send(change(6, 1))).toBe(204);

    expect(bookedOf(6)).toEqual([change(6, 1).id]);
  });

  it('handles two events of one return one after the other, also if they arrive at once', async () => {
    const held = warehouse.hold(change(7, 1).id);
    const first = send(change(7, 1));
    await held.begun;
    const second = send(change(7, 2));
    // These requests need no handler; after their answers the second event has arrived.
    for (let turn = 0; turn < 5; turn += 1) await send(change(7, 3), { secret: OTHER_SECRET });
    held.release();

    expect(await first).toBe(204);
    expect([204, 409]).toContain(await second);
    expect(await send(change(7, 2))).toBe(204);
    expect(bookedOf(7)).toEqual([change(7, 1).id, change(7, 2).id]);
    expect(warehouse.overlaps).toEqual([]);
  });

  it('answers 2xx to a test of the endpoint, and books nothing', async () => {
    const event = change(8, 1, { id: 'acme_mi8x2k_feed_1', type: 'feed.endpoint_test' });

    expect(await send(event)).toBe(204);
    expect(bookedOf(8)).toEqual([]);
  });

  it('passes "webhooks check", which books in the warehouse under its own source alone', async () => {
    const booked = new Set(warehouse.addresses());

    const { code, stdout } = await runFeed(['webhooks', 'check', receiver?.url ?? '', ...filter], {
      environment: { RETURNS_FORWARD_SECRET: SECRET },
    });

    expect(stdout.match(/^✗.*/gm)).toBeNull();
    expect(code).toBe(0);
    const added = warehouse.addresses().filter((address) => !booked.has(address));
    expect(new Set(added.map((address) => address.split('/')[2]))).toEqual(new Set(['webhook-check']));
  });
});
