// A subscriber to all events of the ordered queue is told which numbers of a return are missing.
import { describe, expect, it } from 'vitest';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { createProcessMemory } from '../../../functions/subscriber-kit/subscriber-memory.ts';
import type { SubscriberOptions } from '../../../functions/subscriber-kit/subscriber-options.ts';
import { batch, CONTEXT, change, keepLog } from './deliveries.ts';
import { subscriberUnderTest } from './subscriber-under-test.ts';

describe('gaps', () => {
  const unfiltered = (options: Partial<SubscriberOptions> = {}) => {
    const gaps: unknown[] = [];
    const made = subscriberUnderTest({
      unfiltered: true,
      memory: createProcessMemory(),
      onGap: (gap) => void gaps.push(gap),
      ...options,
    });
    return { ...made, gaps };
  };

  it('are reported once, before the event that shows them, if `unfiltered` is set', async () => {
    const { handler, gaps } = unfiltered();

    await handler(
      batch(change(1, 5), change(1, 6, { type: 'shipment.updated' }), change(1, 9), change(1, 7)),
      CONTEXT,
    );
    await handler(batch(change(1, 10)), CONTEXT);

    expect(gaps).toEqual([{ partitionkey: 'acme/1', generation: 'mi8x2k', from: 7, to: 8 }]);
  });

  it('are counted from the first number of a new generation', async () => {
    const { handler, gaps } = unfiltered();

    await handler(batch(change(1, 5), change(1, 3, { id: 'acme_mi9aaa_1_3' })), CONTEXT);

    expect(gaps).toEqual([{ partitionkey: 'acme/1', generation: 'mi9aaa', from: 1, to: 2 }]);
  });

  it('are reported again while the event that shows them fails', async () => {
    const { handler, gaps, failing } = unfiltered();
    await handler(batch(change(1, 5)), CONTEXT);
    failing.add(change(1, 7).id);

    await handler(batch(change(2, 1), change(1, 7)), CONTEXT);
    failing.clear();
    await handler(batch(change(1, 7)), CONTEXT);

    expect(gaps).toEqual([
      expect.objectContaining({ from: 6, to: 6 }),
      expect.objectContaining({ from: 6, to: 6 }),
    ]);
  });

  it('at the beginning of a return are reported if its first event failed here until it went to the dead-letter queue', async () => {
    const { handler, gaps, failing } = unfiltered();
    failing.add(change(1, 1).id);
    await handler(batch(change(2, 1), change(1, 1)), CONTEXT);

    await handler(batch(change(1, 2)), CONTEXT);

    expect(gaps).toEqual([{ partitionkey: 'acme/1', generation: 'mi8x2k', from: 1, to: 1 }]);
  });

  it('are not reported behind a first event that failed and was then handled', async () => {
    const { handler, gaps, failing } = unfiltered();
    failing.add(change(1, 4).id);
    await handler(batch(change(2, 1), change(1, 4)), CONTEXT);
    failing.clear();

    await handler(batch(change(1, 4), change(1, 5)), CONTEXT);

    expect(gaps).toEqual([]);
  });

  it('do not replace the error of the handler if the memory fails as well', async () => {
    const memory = createProcessMemory();
    const { handler, failing, log } = unfiltered({
      memory: { ...memory, advance: () => Promise.reject(new Error('the memory is down')) },
    });
    failing.add(change(1, 1).id);

    await expect(handler(batch(change(1, 1)), CONTEXT)).rejects.toThrow();

    const failed = log.lines.find(({ message }) => message.startsWith('An event failed'));
    expect(String(Object.values(failed?.fields ?? {}))).not.toContain('the memory is down');
    expect(log.lines.some(({ message }) => message.startsWith('The memory could not note'))).toBe(true);
  });

  it('are logged as a warning without `onGap`', async () => {
    const log = keepLog();
    const handler = createQueueSubscriber({ on: {}, unfiltered: true, memory: createProcessMemory(), log });

    await handler(batch(change(1, 5), change(1, 7)), CONTEXT);

    expect(log.lines[0]).toMatchObject({ level: 'warn', fields: { from: 6, to: 6 } });
  });

  it('are not detected by default', async () => {
    const { handler, log } = subscriberUnderTest();

    await handler(batch(change(1, 5), change(1, 9)), CONTEXT);

    expect(log.lines).toEqual([]);
  });

  it('require a memory that all processes share', () => {
    expect(() => createQueueSubscriber({ on: {}, unfiltered: true })).toThrow(/tableName/);
  });
});
