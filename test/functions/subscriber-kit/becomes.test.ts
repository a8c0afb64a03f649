import { describe, expect, it } from 'vitest';
import { becomes } from '../../../functions/subscriber-kit/becomes.ts';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { batch, CONTEXT, change } from './deliveries.ts';

function withStatus(sequence: number, type: string, status: string): FeedEvent {
  const event = change(sequence, sequence, { type });
  return { ...event, data: { ...event.data, object: { ...event.data.object, status } } } as FeedEvent;
}

describe('handlers by status', () => {
  it('get entities that changed to the status or were first seen with it', async () => {
    const got: unknown[] = [];
    const handler = createQueueSubscriber({
      on: becomes('shipment', {
        DELIVERED: (event) => void got.push(['delivered', event.type, event.data.object.return_ids]),
        FAILED: (event) => void got.push(['failed', event.type]),
      }),
    });

    const response = await handler(
      batch(
        withStatus(1, 'shipment.created', 'DELIVERED'),
        withStatus(2, 'shipment.status_changed', 'DELIVERED'),
        withStatus(3, 'shipment.status_changed', 'FAILED'),
        withStatus(4, 'shipment.status_changed', 'IN_TRANSIT'),
        withStatus(5, 'shipment.status_changed', 'valueOf'),
        withStatus(6, 'shipment.updated', 'DELIVERED'),
      ),
      CONTEXT,
    );

    expect(response).toEqual({ batchItemFailures: [] });
    expect(got).toEqual([
      ['delivered', 'shipment.created', [5512]],
      ['delivered', 'shipment.status_changed', [5512]],
      ['failed', 'shipment.status_changed'],
    ]);
  });
});
