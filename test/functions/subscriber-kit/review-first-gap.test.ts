// Review: "A subscriber that gets every event of its returns can set `unfiltered: true`: the kit then reports a missing
// number to `onGap` before it handles the event that shows the gap … For an ordered subscriber a gap is an event in one of
// its two dead-letter queues" (docs/subscribing.md).
import { expect, it } from 'vitest';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { createProcessMemory } from '../../../functions/subscriber-kit/subscriber-memory.ts';
import { batch, CONTEXT, change, keepLog } from './deliveries.ts';

it('review: reports the gap if the first event of a return went to the dead-letter queue', async () => {
  const gaps: unknown[] = [];
  const handled: number[] = [];
  const handler = createQueueSubscriber({
    on: {
      'shipment.status_changed': async ({ data }) => {
        if (data.sequence === 1) throw new Error('not today');
        handled.push(data.sequence);
      },
    },
    memory: createProcessMemory(),
    unfiltered: true,
    onGap: ({ from, to }) => void gaps.push([from, to]),
    log: keepLog(),
  });
  // A return begins while the subscriber has worked for long.
  await handler(batch(change(9, 2)), CONTEXT);
  // Its first event fails ten times, and moves to the dead-letter queue. Then the second arrives.
  for (let receive = 0; receive < 10; receive += 1)
    await handler(batch(change(1, 1)), CONTEXT).catch(() => undefined);
  await handler(batch(change(1, 2)), CONTEXT);

  expect(handled).toEqual([2, 2]);
  expect(gaps).toEqual([[1, 1]]);
});
