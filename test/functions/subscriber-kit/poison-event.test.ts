// An event that its subscriber can never handle.
import { expect, test } from 'vitest';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { aFeed, aFunction } from '../../infra/synthesize.ts';
import { resourceOf } from '../../infra/template.ts';
import { change, keepLog } from './deliveries.ts';
import { handOverGroup } from './fifo-queue.ts';

const POISON = 2;

/** Uses the receive count of the construct's queue. @param batchSize by default that of the construct's mapping */
async function handOver(batchSize?: number) {
  const { feed, stack, template } = aFeed();
  feed.addOrderedSubscriber(aFunction(stack), batchSize === undefined ? {} : { batchSize });
  const mapping = resourceOf(template(), 'AWS::Lambda::EventSourceMapping', 'Subscriber').Properties;
  const queue = resourceOf(template(), 'AWS::SQS::Queue', 'SubscriberQueue').Properties;
  const handled: number[] = [];
  const handler = createQueueSubscriber({
    on: {
      'shipment.status_changed': ({ data }) => {
        if (data.sequence === POISON) throw new Error('never');
        handled.push(data.sequence);
      },
    },
    log: keepLog(),
  });
  const dead = await handOverGroup(
    [1, 2, 3, 4].map((sequence) => change(1, sequence)),
    { batchSize: mapping.BatchSize, maxReceiveCount: queue.RedrivePolicy.maxReceiveCount, handler },
  );
  return { handled, dead: dead.map(({ data }) => data.sequence) };
}

test('only this event goes to the dead-letter queue, and its group continues without it', async () => {
  expect(await handOver()).toEqual({ handled: [1, 3, 4], dead: [POISON] });
});

test('in larger batches, events of its group in the same batch go to the dead-letter queue as well', async () => {
  expect(await handOver(10)).toEqual({ handled: [1], dead: [POISON, 3, 4] });
});
