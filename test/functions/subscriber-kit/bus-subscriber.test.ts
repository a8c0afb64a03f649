import { describe, expect, it } from 'vitest';
import { createBusSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import type { SubscriberOptions } from '../../../functions/subscriber-kit/subscriber-options.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { batch, CONTEXT, change, keepLog, onBus } from './deliveries.ts';

function subscriber(options: Partial<SubscriberOptions> = {}) {
  const handled: string[] = [];
  const failing = new Set<string>();
  const log = keepLog();
  const handler = createBusSubscriber({
    on: {
      'shipment.status_changed': async ({ id }) => {
        if (failing.has(id)) throw new Error('not today');
        handled.push(id);
      },
    },
    log,
    ...options,
  });
  return { handler, handled, failing, log };
}

/** A message of a queue that is the target of a rule: the event in EventBridge's form. */
function queued(...events: readonly FeedEvent[]) {
  const { Records } = batch(...events);
  return {
    Records: Records.map(({ messageId }, index) => ({
      messageId,
      body: JSON.stringify(onBus(events[index] as FeedEvent)),
      attributes: { ApproximateReceiveCount: '3' },
    })),
  };
}

describe('a subscriber to the bus', () => {
  it('is a target of rules, with the whole event or only its detail', async () => {
    const { handler, handled } = subscriber();

    const response = await handler(onBus(change(1, 1)), CONTEXT);
    await handler(change(1, 2) as never, CONTEXT);

    expect(response).toBeUndefined();
    expect(handled).toEqual([change(1, 1).id, change(1, 2).id]);
  });

  it('throws the failure, so that Lambda retries', async () => {
    const { handler, handled, failing, log } = subscriber();
    failing.add(change(1, 1).id);
    const failed = handler(onBus(change(1, 1)), CONTEXT);
    await expect(failed).rejects.toThrow('not today');
    failing.clear();

    await handler(onBus(change(1, 1)), CONTEXT);

    expect(handled).toEqual([change(1, 1).id]);
    expect(log.lines[0]).toMatchObject({ level: 'error', fields: { error: new Error('not today') } });
  });

  it('reads a queue behind a rule, and reports failures per message', async () => {
    const attempts: number[] = [];
    const { handler, failing } = subscriber();
    failing.add(change(1, 1).id);

    const response = await handler(queued(change(1, 1), change(1, 2), change(2, 1)), CONTEXT);
    await subscriber({ otherwise: (_event, { attempt }) => void attempts.push(attempt), on: {} }).handler(
      queued(change(1, 1)),
      CONTEXT,
    );

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: change(1, 1).id }] });
    expect(attempts).toEqual([3]);
  });

  it('drops events older than the newest handled event of their subject, in any order of arrival', async () => {
    const { handler, handled } = subscriber();

    for (const sequence of [2, 3, 1, 3, 5, 4]) await handler(onBus(change(1, sequence)), CONTEXT);

    expect(handled).toEqual([2, 3, 5].map((sequence) => change(1, sequence).id));
  });

  it('handles the events of a batch one after the other', async () => {
    const spans: string[] = [];
    const { handler } = subscriber({
      on: {
        'shipment.status_changed': async ({ id }) => {
          spans.push(`${id} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          spans.push(`${id} ends`);
        },
      },
    });

    await handler(queued(change(1, 1), change(1, 2)), CONTEXT);

    const [a, b] = [change(1, 1).id, change(1, 2).id];
    expect(spans).toEqual([`${a} begins`, `${a} ends`, `${b} begins`, `${b} ends`]);
  });

  it('treats a replay of EventBridge’s archive as a replay', async () => {
    const got: (string | undefined)[] = [];
    const { handler } = subscriber({
      replays: 'reprocess',
      on: { 'shipment.status_changed': (_event, { replayId }) => void got.push(replayId) },
    });
    await handler(onBus(change(1, 1)), CONTEXT);

    await handler(onBus(change(1, 1), { 'replay-name': 'after-the-outage' }), CONTEXT);

    expect(got).toEqual([undefined, 'after-the-outage']);
  });
});
