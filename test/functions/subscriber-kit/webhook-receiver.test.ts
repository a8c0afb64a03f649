import { describe, expect, it } from 'vitest';
import { createProcessMemory } from '../../../functions/subscriber-kit/subscriber-memory.ts';
import { createWebhookReceiver } from '../../../functions/subscriber-kit/webhook-receiver.ts';
import type { ReturnChanged } from '../../../shared/contract/return-message.ts';
import { committedExample } from '../../shared/contract/committed-contracts.ts';
import { change } from './deliveries.ts';
import { deferred, receiverUnderTest } from './receiver-under-test.ts';
import { attempt, post, SECRET, signedHeaders, signedPost } from './signed-requests.ts';

describe('a webhook receiver', () => {
  it('answers 204 after the handler has finished, and not before', async () => {
    const work = deferred();
    const { receiver } = receiverUnderTest({ on: { 'shipment.status_changed': () => work.promise } });
    let status: number | undefined;
    const answered = receiver(attempt(change(1, 1))).then((response) => {
      status = response.status;
    });
    await receiver(attempt(change(2, 1, { type: 'shipment.updated' })));
    expect(status).toBeUndefined();

    work.resolve();
    await answered;

    expect(status).toBe(204);
  });

  it('handles the newest state of a return, and drops older ones that land late', async () => {
    const message = committedExample('return.changed');
    const numbered = (generation: string, sequence: number): ReturnChanged => ({
      ...message,
      id: `acme_${generation}_100104_r${sequence}`,
      data: { ...message.data, generation, sequence },
    });
    const states: string[] = [];
    const gaps: unknown[] = [];
    const { receiver, outcomes } = receiverUnderTest({
      ...{ unfiltered: true, memory: createProcessMemory(), onGap: (gap) => void gaps.push(gap) },
      on: {
        'return.changed': ({ data }) =>
          void states.push(`${data.generation} ${data.return?.entities.length}`),
      },
    });

    const numbers = [
      ['mi8x2k', 7],
      ['mi8x2k', 5],
      ['mi8x2k', 7],
      ['mi8x2k', 9],
      ['mi9aaa', 2],
      ['mi8x2k', 12],
    ] as const;
    for (const [generation, sequence] of numbers)
      expect((await receiver(attempt(numbered(generation, sequence)))).status).toBe(204);

    expect(outcomes).toEqual(['handled', 'stale', 'repeated', 'handled', 'handled', 'stale']);
    expect(states).toEqual(['mi8x2k 5', 'mi8x2k 5', 'mi9aaa 5']);
    expect(gaps).toEqual([]);
  });

  it('answers 500 when a handler fails, with the reason only in the log', async () => {
    const { receiver, handled, failing, log } = receiverUnderTest();
    failing.add(change(1, 1).id);

    const response = await receiver(attempt(change(1, 1)));
    failing.clear();
    const again = await receiver(attempt(change(1, 1)));

    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/Rosalind/);
    expect(log.lines).toContainEqual({
      level: 'error',
      message: 'An event failed and will be delivered again.',
      fields: { id: change(1, 1).id, error: new Error('Rosalind is not at home') },
    });
    expect(again.status).toBe(204);
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('gives handlers its name, the id of the request and the rest of the longest run', async () => {
    const got: unknown[] = [];
    const { receiver } = receiverUnderTest({
      longestRunMs: 90_000,
      on: {
        'shipment.status_changed': (_event, { lambda, attempt: count }) => {
          got.push(lambda.functionName, lambda.awsRequestId, count, lambda.getRemainingTimeInMillis());
        },
      },
    });

    await receiver(attempt(change(1, 1)));

    expect(got.slice(0, 3)).toEqual(['warehouse', change(1, 1).id, 1]);
    expect(got[3]).toBeGreaterThan(60_000);
    expect(got[3]).toBeLessThanOrEqual(90_000);
  });

  it('is refused with a longest run that no handler could begin in', () => {
    const create = () => receiverUnderTest({ longestRunMs: 999 });

    expect(create).toThrow('`longestRunMs` must be at least 1000 (got 999).');
  });
});

describe('a signed event without a call of a handler', () => {
  const unknown = () =>
    change(1, 1, { type: 'shipment.teleported', dataschema: 'urn:returns-change-feed:shipment:1' });

  it.each([
    ['an unknown type', unknown()],
    ['a type without a handler', change(1, 1, { type: 'shipment.updated' })],
    ['a newer version', change(1, 1, { dataschema: 'urn:returns-change-feed:shipment:2', data: {} })],
  ])('is answered 204: %s', async (_name, event) => {
    const { receiver, handled } = receiverUnderTest();

    const response = await receiver(attempt(event));

    expect(response.status).toBe(204);
    expect(handled).toEqual([]);
  });

  it('is answered 204 if it is a test of the endpoint, and is neither handled nor counted', async () => {
    const got: unknown[] = [];
    const { receiver, outcomes, log } = receiverUnderTest({ otherwise: (event) => void got.push(event) });

    const response = await receiver(signedPost('{"type":"feed.endpoint_test"}', { id: 'acme_1_feed_1' }));

    expect(response.status).toBe(204);
    expect([got, outcomes]).toEqual([[], []]);
    expect(log.lines).toEqual([
      { level: 'info', message: 'A test event arrived.', fields: { id: 'acme_1_feed_1' } },
    ]);
  });
});

describe('a signed body that is not an event of the feed', () => {
  const event = change(1, 1);
  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['other JSON', '{"hello":1}'],
    ['another id', JSON.stringify({ ...event, id: 'evt_1' })],
    ['data that breaks the contract', JSON.stringify({ ...event, data: { object: 'Rosalind' } })],
  ])('is answered 400, without its content: %s', async (_name, body) => {
    const { receiver, handled, log } = receiverUnderTest();

    const response = await receiver(signedPost(body));

    expect(response.status).toBe(400);
    expect(handled).toEqual([]);
    expect(await response.text()).not.toMatch(/Rosalind|hello|evt_1/);
    expect(log.lines[0]).toMatchObject({ level: 'error' });
    expect(String(log.lines[0]?.fields.error)).not.toMatch(/Rosalind/);
  });
});

describe('a request that the feed’s sender never makes', () => {
  it('is answered 413 if it declares a body of more than about 1 MiB', async () => {
    const { receiver } = receiverUnderTest();

    const response = await receiver(post('{}', { ...signedHeaders('{}'), 'content-length': '1100000' }));

    expect(response.status).toBe(413);
  });

  it('is answered 413 after about 1 MiB if the body never ends', async () => {
    const { receiver } = receiverUnderTest();
    let chunks = 0;
    let stopped = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        stopped = true;
      },
    });

    const response = await receiver(post(endless, signedHeaders('')));

    expect(response.status).toBe(413);
    expect(chunks).toBeLessThan(20);
    expect(stopped).toBe(true);
  });

  it('is read up to an event of 1 MiB', async () => {
    const { receiver } = receiverUnderTest();
    const event = change(1, 1);
    const filler = 'x'.repeat(1024 * 1024 - JSON.stringify(event).length - 20);

    const response = await receiver(attempt({ ...event, filler } as never));

    expect(response.status).toBe(204);
  });

  it('is answered 500 with advice if its body was read before', async () => {
    const { receiver, log } = receiverUnderTest();
    const request = attempt(change(1, 1));
    await request.json();

    const response = await receiver(request);

    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/before `express\.json\(\)`/);
    expect(log.lines[0]?.message).toMatch(/before `express\.json\(\)`/);
  });
});

describe('two requests of one return', () => {
  it('never run handlers at the same time: the second is answered 409 and can be repeated', async () => {
    const work = deferred();
    const handled: string[] = [];
    const { receiver } = receiverUnderTest({
      on: {
        'shipment.status_changed': async ({ id }) => {
          await work.promise;
          handled.push(id);
        },
      },
    });
    const first = receiver(attempt(change(1, 1)));

    const repeated = await receiver(attempt(change(1, 1)));
    const next = await receiver(attempt(change(1, 2)));
    work.resolve();
    await first;
    const later = await receiver(attempt(change(1, 2)));

    expect([repeated.status, next.status, later.status]).toEqual([409, 409, 204]);
    expect(next.headers.get('retry-after')).toBe('5');
    expect(handled).toEqual([change(1, 1).id, change(1, 2).id]);
  });

  it('do not hold back another return, and a failure frees its own', async () => {
    const work = deferred();
    const { receiver } = receiverUnderTest({
      on: {
        'shipment.status_changed': ({ data }) => (data.return_group.id === 1 ? work.promise : undefined),
      },
    });
    const first = receiver(attempt(change(1, 1)));

    const other = await receiver(attempt(change(2, 1)));
    work.reject(new Error('not today'));
    const failed = await first;
    const again = await receiver(attempt(change(1, 1)));

    expect([other.status, failed.status, again.status]).toEqual([204, 500, 500]);
  });
});

describe('the rules of the queue’s subscriber', () => {
  it('apply: repeats and stale events are answered 204 and not handled', async () => {
    const { receiver, handled, outcomes } = receiverUnderTest();

    const statuses: number[] = [];
    for (const sequence of [1, 3, 3, 2]) statuses.push((await receiver(attempt(change(1, sequence)))).status);

    expect(statuses).toEqual([204, 204, 204, 204]);
    expect(handled).toEqual([change(1, 1).id, change(1, 3).id]);
    expect(outcomes).toEqual(['handled', 'handled', 'repeated', 'stale']);
  });

  it('apply to replays: an event is handled once under its own id, and once for each replay', async () => {
    const { receiver, handled } = receiverUnderTest({ replays: 'reprocess' });
    const again = (replayid: string) => {
      const event = change(1, 1, { replayid });
      return attempt(event, { id: `${event.id}_${replayid}` });
    };

    await receiver(attempt(change(1, 1)));
    await receiver(attempt(change(1, 1)));
    for (const replayid of ['r1', 'r1', 'r2']) await receiver(again(replayid));

    expect(handled).toEqual([change(1, 1).id, change(1, 1).id, change(1, 1).id]);
  });

  it('apply to gaps and to `otherwise`', async () => {
    const [gaps, others]: [unknown[], string[]] = [[], []];
    const { receiver } = receiverUnderTest({
      memory: createProcessMemory(),
      unfiltered: true,
      onGap: ({ from, to }) => void gaps.push([from, to]),
      otherwise: ({ type }) => void others.push(type),
    });

    await receiver(attempt(change(1, 1)));
    await receiver(attempt(change(1, 5, { type: 'shipment.updated' })));

    expect(gaps).toEqual([[2, 4]]);
    expect(others).toEqual(['shipment.updated']);
  });

  it('apply to options that can’t work together', () => {
    const options = { name: 'warehouse', secrets: SECRET, on: {}, tableName: 't' };

    expect(() => createWebhookReceiver({ ...options, memory: createProcessMemory() })).toThrow(/not both/);
  });
});
