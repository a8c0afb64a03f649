// Which events of the ordered queue a subscriber handles, skips or fails; gaps.test.ts has what it misses.
import { describe, expect, it } from 'vitest';
import { batch, CONTEXT, change } from './deliveries.ts';
import { subscriberUnderTest } from './subscriber-under-test.ts';

const failures = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('a subscriber to the ordered queue', () => {
  it('calls the handler of each event’s type, in order', async () => {
    const { handler, handled } = subscriberUnderTest();
    const [a, b, c] = [change(1, 1), change(2, 1), change(1, 2)];

    const response = await handler(batch(a, b, c), CONTEXT);

    expect(response).toEqual(failures());
    expect(handled).toEqual([a.id, b.id, c.id]);
  });

  it('holds back only later events of a failed event’s group', async () => {
    const { handler, handled, failing, log } = subscriberUnderTest();
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
    const { handler, failing } = subscriberUnderTest();
    failing.add(change(1, 1).id);

    await expect(handler(batch(change(1, 1)), CONTEXT)).rejects.toThrow(/all records failed/i);
  });

  it('separates batches that run at the same time', async () => {
    const { handler, failing } = subscriberUnderTest();
    failing.add(change(1, 1).id);

    const [first, second] = await Promise.all([
      handler(batch(change(1, 1), change(3, 1)), CONTEXT),
      handler(batch(change(2, 1), change(4, 1)), CONTEXT),
    ]);

    expect(first).toEqual(failures(change(1, 1).id));
    expect(second).toEqual(failures());
  });

  it('begins no handler with less than a second left, and reports the rest of the batch as failed', async () => {
    let left = 1_000;
    const { handler, handled, outcomes } = subscriberUnderTest({
      on: {
        'shipment.status_changed': ({ id }) => {
          handled.push(id);
          left = 999;
        },
      },
    });

    const response = await handler(batch(change(1, 1), change(2, 1), change(3, 1)), {
      ...CONTEXT,
      getRemainingTimeInMillis: () => left,
    });

    expect(response).toEqual(failures(change(2, 1).id, change(3, 1).id));
    expect(handled).toEqual([change(1, 1).id]);
    expect(outcomes.slice(1)).toEqual([`${change(2, 1).id} failed`, `${change(3, 1).id} failed`]);
  });

  it('reports a batch that came with no time left as failed, without an error of the function', async () => {
    const { handler, handled } = subscriberUnderTest();

    const response = await handler(batch(change(1, 1), change(2, 1)), {
      ...CONTEXT,
      getRemainingTimeInMillis: () => 0,
    });

    expect(response).toEqual(failures(change(1, 1).id, change(2, 1).id));
    expect(handled).toEqual([]);
  });

  it('fails a message that is not an event of the feed, so that it ends in the dead-letter queue', async () => {
    const { handler, handled } = subscriberUnderTest();
    const [other, foreignId] = ['{"hello":1}', JSON.stringify(change(1, 2, { id: 'of-somebody-else' }))];

    const response = await handler(batch(other, change(1, 1), 'no json', foreignId), CONTEXT);

    expect(response).toEqual(failures(other, 'no json', foreignId));
    expect(handled).toEqual([change(1, 1).id]);
  });

  it('fails an event that breaks the contract, naming the field but not its value', async () => {
    const { handler, log } = subscriberUnderTest();
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
    const { handler, handled, outcomes, log } = subscriberUnderTest();

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
    const { handler, handled } = subscriberUnderTest({
      otherwise: ({ type, data }) => void got.push([type, data]),
    });

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
    const { handler } = subscriberUnderTest({
      on: { 'shipment.status_changed': (event) => void got.push(event) },
    });
    const event = change(1, 1);

    await handler(batch({ ...event, invented: 1, data: { ...event.data, later: 2 } } as never), CONTEXT);

    expect(got).toEqual([event]);
  });
});

describe('repeats and stale events', () => {
  it('are not handled again, in any order', async () => {
    const { handler, handled, outcomes } = subscriberUnderTest();

    await handler(batch(change(1, 1), change(1, 2), change(1, 1), change(1, 2), change(1, 3)), CONTEXT);

    expect(handled).toEqual([change(1, 1).id, change(1, 2).id, change(1, 3).id]);
    expect(outcomes[2]).toBe(`${change(1, 1).id} stale`);
    expect(outcomes[3]).toBe(`${change(1, 2).id} repeated`);
  });

  it('are logged if stale, not if they are mere repeats', async () => {
    const { handler, log } = subscriberUnderTest();

    await handler(batch(change(1, 2), change(1, 2)), CONTEXT);
    const ofRepeats = log.lines.length;
    await handler(batch(change(1, 1)), CONTEXT);

    expect(ofRepeats).toBe(0);
    expect(log.lines).toMatchObject([{ message: 'Not all events were handled.', fields: { stale: 1 } }]);
  });

  it('are detected per subject: another subject may have lower numbers', async () => {
    const { handler, handled } = subscriberUnderTest();
    const other = change(1, 3, { subject: 'return-groups/1/shipments/5' });

    await handler(batch(change(1, 7), other, change(1, 4)), CONTEXT);

    expect(handled).toEqual([change(1, 7).id, other.id]);
  });

  it('are detected by handled events: a type without a handler makes no event stale', async () => {
    const { handler, handled } = subscriberUnderTest();

    await handler(batch(change(1, 7, { type: 'shipment.updated' }), change(1, 4)), CONTEXT);

    expect(handled).toEqual([change(1, 4).id]);
  });

  it('are detected anew in a later generation, which comes after any number of an earlier one', async () => {
    const { handler, handled } = subscriberUnderTest();
    const later = change(1, 1, { id: 'acme_mi9aaa_1_1' });
    const muchLater = change(1, 1, { id: 'acme_1mi9aaa_1_1' });

    await handler(batch(change(1, 7), later, change(1, 8), muchLater), CONTEXT);

    expect(handled).toEqual([change(1, 7).id, later.id, muchLater.id]);
  });

  it('are handled on request, and reported as stale', async () => {
    const got: unknown[] = [];
    const { handler } = subscriberUnderTest({
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
    const { handler, handled, failing } = subscriberUnderTest();
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
    const { handler, handled } = subscriberUnderTest();
    await handler(batch(change(1, 3)), CONTEXT);

    await handler(batch(replayed(2), replayed(3), replayed(4)), CONTEXT);

    expect(handled).toEqual([change(1, 3).id, change(1, 4).id]);
  });

  it('is handled completely with `reprocess`, once per replay, and moves no position back', async () => {
    const got: unknown[] = [];
    const { handler } = subscriberUnderTest({
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
    const { handler, handled, outcomes } = subscriberUnderTest({ replays: 'skip' });

    const response = await handler(batch(replayed(1), change(1, 1)), CONTEXT);

    expect(response).toEqual(failures());
    expect(handled).toEqual([change(1, 1).id]);
    expect(outcomes[0]).toBe(`${change(1, 1).id} replay`);
  });
});
