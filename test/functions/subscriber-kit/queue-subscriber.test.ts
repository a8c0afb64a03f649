import { describe, expect, it } from 'vitest';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { createProcessMemory } from '../../../functions/subscriber-kit/subscriber-memory.ts';
import type { SubscriberOptions } from '../../../functions/subscriber-kit/subscriber-options.ts';
import { batch, CONTEXT, change, keepLog } from './deliveries.ts';

/** A subscriber that records handled ids, and fails the configured ones. */
function subscriber(options: Partial<SubscriberOptions> = {}) {
  const handled: string[] = [];
  const outcomes: string[] = [];
  const failing = new Set<string>();
  const log = keepLog();
  const handler = createQueueSubscriber({
    on: {
      'shipment.status_changed': async ({ id }) => {
        if (failing.has(id)) throw new Error('not today');
        handled.push(id);
      },
    },
    onOutcome: (outcome, { id }) => void outcomes.push(`${id} ${outcome}`),
    log,
    ...options,
  });
  return { handler, handled, outcomes, failing, log };
}

const failures = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('a subscriber to the ordered queue', () => {
  it('calls the handler of each event’s type, in order', async () => {
    const { handler, handled } = subscriber();
    const [a, b, c] = [change(1, 1), change(2, 1), change(1, 2)];

    const response = await handler(batch(a, b, c), CONTEXT);

    expect(response).toEqual(failures());
    expect(handled).toEqual([a.id, b.id, c.id]);
  });

  it('holds back only later events of a failed event’s group', async () => {
    const { handler, handled, failing, log } = subscriber();
    const events = [change(1, 1), change(1, 2), change(2, 1), change(1, 3), change(2, 2)];
    failing.add(change(1, 2).id);

    const response = await handler(batch(...events), CONTEXT);
    failing.clear();
    const again = await handler(batch(change(1, 2), change(1, 3)), CONTEXT);

    expect(response).toEqual(failures(change(1, 2).id, change(1, 3).id));
    expect(again).toEqual(failures());
    expect(handled).toEqual(
      [change(1, 1), change(2, 1), change(2, 2), change(1, 2), change(1, 3)].map(({ id }) => id),
    );
    expect(log.lines).toContainEqual({
      level: 'error',
      message: 'An event failed and will be delivered again.',
      fields: { messageId: change(1, 2).id, error: new Error('not today') },
    });
  });

  it('throws if a whole batch failed, so that Lambda counts an error', async () => {
    const { handler, failing } = subscriber();
    failing.add(change(1, 1).id);

    await expect(handler(batch(change(1, 1)), CONTEXT)).rejects.toThrow(/all records failed/i);
  });

  it('separates batches that run at the same time', async () => {
    const { handler, failing } = subscriber();
    failing.add(change(1, 1).id);

    const [first, second] = await Promise.all([
      handler(batch(change(1, 1), change(3, 1)), CONTEXT),
      handler(batch(change(2, 1), change(4, 1)), CONTEXT),
    ]);

    expect(first).toEqual(failures(change(1, 1).id));
    expect(second).toEqual(failures());
  });

  it('fails a message that is not an event of the feed, so that it ends in the dead-letter queue', async () => {
    const { handler, handled } = subscriber();
    const [other, foreignId] = ['{"hello":1}', JSON.stringify(change(1, 2, { id: 'of-somebody-else' }))];

    const response = await handler(batch(other, change(1, 1), 'no json', foreignId), CONTEXT);

    expect(response).toEqual(failures(other, 'no json', foreignId));
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('fails an event that breaks the contract, naming the field but not its value', async () => {
    const { handler, log } = subscriber();
    const event = change(1, 1);
    const bent = {
      ...event,
      data: { ...event.data, object: { ...event.data.object, return_ids: ['Rosalind'] } },
    };

    await expect(handler(batch(bent as never), CONTEXT)).rejects.toThrow();

    expect(String(log.lines[0]?.fields.error)).toMatch(/data\.object\.return_ids\.0/);
    expect(JSON.stringify(log.lines.map(String))).not.toMatch(/Rosalind/);
  });
});

describe('an unknown type or field', () => {
  const unknown = () =>
    change(1, 1, { type: 'shipment.teleported', dataschema: 'urn:returns-change-feed:shipment:1' });
  const newer = () =>
    change(1, 2, { dataschema: 'urn:returns-change-feed:shipment:2', data: { all: 'different' } });
  const other = () => change(1, 3, { type: 'shipment.updated' });

  it('is skipped, logged once per type, and counted', async () => {
    const { handler, handled, outcomes, log } = subscriber();

    const response = await handler(batch(unknown(), unknown(), newer(), other()), CONTEXT);

    expect(response).toEqual(failures());
    expect(handled).toEqual([]);
    expect(outcomes.map((outcome) => outcome.split(' ')[1])).toEqual([
      'unknown_type',
      'unknown_type',
      'newer_version',
      'unhandled',
    ]);
    expect(log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { type: 'shipment.teleported', dataschema: 'urn:returns-change-feed:shipment:1' },
      { type: 'shipment.status_changed', dataschema: 'urn:returns-change-feed:shipment:2' },
    ]);
    expect(log.lines.at(-1)).toMatchObject({ level: 'info', fields: { messages: 4, unknown_type: 2 } });
  });

  it('goes to `otherwise` if given, with its data unchanged', async () => {
    const got: unknown[] = [];
    const { handler, handled } = subscriber({ otherwise: ({ type, data }) => void got.push([type, data]) });

    await handler(batch(unknown(), newer(), other(), change(1, 4)), CONTEXT);

    expect(got).toEqual([
      ['shipment.teleported', unknown().data],
      ['shipment.status_changed', { all: 'different' }],
      ['shipment.updated', other().data],
    ]);
    expect(handled).toEqual([change(1, 4).id]);
  });

  it('is left out if it is a later field', async () => {
    const got: unknown[] = [];
    const { handler } = subscriber({ on: { 'shipment.status_changed': (event) => void got.push(event) } });
    const event = change(1, 1);

    await handler(batch({ ...event, invented: 1, data: { ...event.data, later: 2 } } as never), CONTEXT);

    expect(got).toEqual([event]);
  });
});

describe('repeats and stale events', () => {
  it('are not handled again, in any order', async () => {
    const { handler, handled, outcomes } = subscriber();

    await handler(batch(change(1, 1), change(1, 2), change(1, 1), change(1, 2), change(1, 3)), CONTEXT);

    expect(handled).toEqual([change(1, 1).id, change(1, 2).id, change(1, 3).id]);
    expect(outcomes[2]).toBe(`${change(1, 1).id} stale`);
    expect(outcomes[3]).toBe(`${change(1, 2).id} repeated`);
  });

  it('are detected per subject: another subject may have lower numbers', async () => {
    const { handler, handled } = subscriber();
    const other = change(1, 3, { subject: 'return-groups/1/shipments/5' });

    await handler(batch(change(1, 7), other, change(1, 4)), CONTEXT);

    expect(handled).toEqual([change(1, 7).id, other.id]);
  });

  it('are detected by handled events: a type without a handler makes no event stale', async () => {
    const { handler, handled } = subscriber();

    await handler(batch(change(1, 7, { type: 'shipment.updated' }), change(1, 4)), CONTEXT);

    expect(handled).toEqual([change(1, 4).id]);
  });

  it('are detected anew in a later generation, which comes after any number of an earlier one', async () => {
    const { handler, handled } = subscriber();
    const later = change(1, 1, { id: 'acme_mi9aaa_1_1' });
    const muchLater = change(1, 1, { id: 'acme_1mi9aaa_1_1' });

    await handler(batch(change(1, 7), later, change(1, 8), muchLater), CONTEXT);

    expect(handled).toEqual([change(1, 7).id, later.id, muchLater.id]);
  });

  it('are handled on request, and reported as stale', async () => {
    const got: unknown[] = [];
    const { handler } = subscriber({
      stale: 'handle',
      on: {
        'shipment.status_changed': ({ id }, { stale, position }) => void got.push([id, stale, position]),
      },
    });

    await handler(batch(change(1, 12), change(1, 4), change(1, 4)), CONTEXT);

    expect(got).toEqual([
      [change(1, 12).id, false, '000000mi8x2k_000000000000012'],
      [change(1, 4).id, true, '000000mi8x2k_000000000000004'],
    ]);
  });

  it('do not include failed events: these are handled when delivered again', async () => {
    const { handler, handled, failing } = subscriber();
    failing.add(change(1, 2).id);
    await handler(batch(change(2, 1), change(1, 2)), CONTEXT);
    failing.clear();

    await handler(batch(change(1, 2)), CONTEXT);

    expect(handled).toEqual([change(2, 1).id, change(1, 2).id]);
  });
});

describe('a replay', () => {
  const replayed = (sequence: number, replayid = 'r1') => change(1, sequence, { replayid });

  it('delivers missed events and repeats none by default', async () => {
    const { handler, handled } = subscriber();
    await handler(batch(change(1, 3)), CONTEXT);

    await handler(batch(replayed(2), replayed(3), replayed(4)), CONTEXT);

    expect(handled).toEqual([change(1, 3).id, change(1, 4).id]);
  });

  it('is handled completely with `reprocess`, once per replay, and moves no position back', async () => {
    const got: unknown[] = [];
    const { handler } = subscriber({
      replays: 'reprocess',
      on: {
        'shipment.status_changed': ({ data }, { replayId, stale }) =>
          void got.push([data.sequence, replayId, stale]),
      },
    });
    await handler(batch(change(1, 2), change(1, 3)), CONTEXT);

    await handler(batch(replayed(2), replayed(2), replayed(3), replayed(2, 'r2'), change(1, 2)), CONTEXT);

    expect(got).toEqual([
      [2, undefined, false],
      [3, undefined, false],
      [2, 'r1', true],
      [3, 'r1', false],
      [2, 'r2', true],
    ]);
  });

  it('is not handled with `skip`', async () => {
    const { handler, handled, outcomes } = subscriber({ replays: 'skip' });

    const response = await handler(batch(replayed(1), change(1, 1)), CONTEXT);

    expect(response).toEqual(failures());
    expect(handled).toEqual([change(1, 1).id]);
    expect(outcomes[0]).toBe(`${change(1, 1).id} replay`);
  });
});

describe('gaps', () => {
  const unfiltered = (options: Partial<SubscriberOptions> = {}) => {
    const gaps: unknown[] = [];
    const made = subscriber({
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
    const { handler, log } = subscriber();

    await handler(batch(change(1, 5), change(1, 9)), CONTEXT);

    expect(log.lines).toEqual([]);
  });

  it('require a memory that all processes share', () => {
    expect(() => createQueueSubscriber({ on: {}, unfiltered: true })).toThrow(/tableName/);
  });
});
