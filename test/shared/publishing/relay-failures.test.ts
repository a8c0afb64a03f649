// The relay with a destination that is slow, rejects events, fails, or is unreachable.
import { describe, expect, test } from 'vitest';
import { READ_GROUP } from '../../../shared/contract/event-id.ts';
import { MAX_BATCH_ENTRIES, RELAY_READ_EVENTS, SEND_ATTEMPTS } from '../../../shared/limits.ts';
import { aKey } from './an-event.ts';
import { createWorld, failingOnce, type Gate, openGate, range, relayIn, type World } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);

describe('answers of the destination', () => {
  test.each([
    {
      what: 'a rejected',
      reason: 'too large',
      spoil: (world: World) => {
        world.destination.answer = refusing('acme_mi8x2k_1_2');
      },
    },
    {
      what: 'an undecodable',
      reason: 'of a later format',
      spoil: ({ undecodable }: World) => void undecodable.add('acme_mi8x2k_1_2'),
    },
  ])(
    '$what event stops its group, which is noted as behind, and no other group',
    async ({ reason, spoil }) => {
      const world = createWorld();
      world.show(A, 1, 2, 3);
      world.show(B, 1, 2, 3);
      spoil(world);

      const { outcomes } = await relayIn(world, [A, B]);

      expect([world.numbersArrived(A), world.numbersArrived(B)]).toEqual([[1], [1, 2, 3]]);
      expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(1);
      expect(world.behind).toEqual(new Map([['queue#acme_mi8x2k_1', `2: ${reason}`]]));
      expect(outcomes).toEqual([{ state: 'behind', sequence: 2, reason }, { state: 'done' }]);
    },
  );

  test.each([
    { count: 2, mark: undefined },
    { count: RELAY_READ_EVENTS + 2, mark: RELAY_READ_EVENTS + 1 },
  ])(
    'if the newest of $count feed.source_read reports is rejected, the mark stays at $mark',
    async (reports) => {
      const world = createWorld();
      const read = aKey(READ_GROUP);
      world.show(read, ...range(1, reports.count));
      world.destination.answer = refusing(`acme_mi8x2k_read_${reports.count}`);

      const { outcomes } = await relayIn(world, [read]);

      expect(world.marks.get('queue#acme_mi8x2k_read')).toBe(reports.mark);
      expect(outcomes).toEqual([{ state: 'behind', sequence: reports.count, reason: 'too large' }]);
    },
  );

  test.each([
    { call: 'marks.noteBehind', reason: 'the note that it is behind could not be saved' },
    { call: 'marks.advance', reason: 'its mark could not be moved' },
  ])(
    'a group with a rejected event fails if $call does, and is not noted as behind',
    async ({ call, reason }) => {
      const world = createWorld();
      world.show(A, 1, 2);
      world.destination.answer = refusing('acme_mi8x2k_1_2');

      const { outcomes } = await relayIn(world, [A], { gate: failingOnce(call) });

      expect(outcomes).toEqual([{ state: 'failed', reason }]);
      expect(world.behind.size).toBe(0);
    },
  );

  test('a group is not noted as behind at an event that another process has passed meanwhile', async () => {
    const world = createWorld();
    world.show(A, 1, 2);
    world.destination.answer = (event) => {
      world.marks.set('queue#acme_mi8x2k_1', 1);
      return refusing('acme_mi8x2k_1_1')(event);
    };

    const first = await relayIn(world, [A]);
    const second = await relayIn(world, [A]);

    expect(first.outcomes).toEqual([
      { state: 'failed', reason: 'another process has passed its next event' },
    ]);
    expect(world.behind.size).toBe(0);
    expect(world.numbersArrived(A)).toEqual([2]);
    expect(second.outcomes).toEqual([{ state: 'done' }]);
  });

  test('a group sends no more events if its mark can’t be moved, so that at most a batch is repeated', async () => {
    const world = createWorld();
    world.show(A, ...range(1, MAX_BATCH_ENTRIES + 2));

    const { outcomes } = await relayIn(world, [A], { gate: failingOnce('marks.advance') });

    expect(outcomes).toEqual([{ state: 'failed', reason: 'its mark could not be moved' }]);
    expect(world.numbersArrived(A)).toEqual(range(1, MAX_BATCH_ENTRIES));
  });

  test('groups that are behind or failed are logged', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, 1);
    world.destination.answer = refusing('acme_mi8x2k_1_1');

    await relayIn(world, [A, B], { gate: failingOnce('marks.advance') });
    await relayIn(world, [B], { gate: failingOnce('ledger.read') });

    const named = { destination: 'queue', source: 'acme', generation: 'mi8x2k' };
    expect(world.log.lines.filter(({ level }) => level !== 'debug')).toEqual([
      {
        level: 'warn',
        message: 'group is behind',
        fields: { ...named, group: 1, sequence: 1, reason: 'too large' },
      },
      {
        level: 'warn',
        message: 'group failed',
        fields: {
          ...named,
          group: 2,
          reason: 'its mark could not be moved',
          error: new Error('unavailable'),
        },
      },
      {
        level: 'warn',
        message: 'group failed',
        fields: {
          ...named,
          group: 2,
          reason: 'its events or its mark could not be read',
          error: new Error('unavailable'),
        },
      },
    ]);
  });

  test('a failure of the whole destination is logged as an error', async () => {
    const world = createWorld();
    world.show(A, 1);

    await relayIn(world, [A], { gate: failingOnce('destination.send') });

    expect(world.log.lines[0]).toEqual({
      level: 'error',
      message: 'destination failed',
      fields: { destination: 'queue', error: new Error('unavailable') },
    });
  });

  test('the note that a group is behind is removed once the group proceeds', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.behind.set('queue#acme_mi8x2k_1', '1: too large');

    await relayIn(world, [A]);

    expect(world.behind.size).toBe(0);
  });

  test('a failed event is retried after growing pauses, and its successors wait', async () => {
    const world = createWorld();
    world.show(A, 1, 2);
    let tries = 0;
    world.destination.answer = ({ data }) => {
      if (data.sequence === 1) tries += 1;
      return data.sequence > 1 || tries === SEND_ATTEMPTS
        ? { sent: true }
        : { sent: false, cause: 'failed', reason: 'throttled' };
    };

    const { outcomes, tookMs } = await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'done' }]);
    expect(tookMs).toBe(50 + 100 + 200 + 400);
  });

  test('an event that always fails fails its group in bounded time, and delays no other group', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, ...range(1, 30));
    world.destination.answer = ({ partitionkey }) =>
      partitionkey === 'acme/1' ? { sent: false, cause: 'failed', reason: 'throttled' } : { sent: true };

    const { outcomes, tookMs } = await relayIn(world, [A, B]);

    expect(
      world.destination.batches.flat().filter(({ partitionkey }) => partitionkey === 'acme/1'),
    ).toHaveLength(SEND_ATTEMPTS);
    expect(outcomes).toEqual([{ state: 'failed', reason: 'throttled' }, { state: 'done' }]);
    expect(world.numbersArrived(B)).toEqual(range(1, 30));
    expect(tookMs).toBe(750);
  });

  test('an answer without a result for an event is a failure', async () => {
    const world = createWorld();
    world.show(A, 1);
    const ports = world.ports(openGate);

    const { outcomes } = await relayIn(world, [A], {
      destination: { ...ports.destination, send: async () => [] },
    });

    expect(outcomes).toEqual([{ state: 'failed', reason: 'the destination returned no result for it' }]);
    expect(world.marks.size).toBe(0);
  });

  test('if the whole destination fails, unconfirmed events fail and confirmed ones are marked', async () => {
    const world = createWorld();
    const groups = range(1, MAX_BATCH_ENTRIES + 5).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1);
    world.show(A, 2);
    let sends = 0;
    const gate: Gate = async (call, effect) => {
      if (call === 'destination.send') sends += 1;
      if (sends === 2 && call === 'destination.send') throw new Error('no such queue');
      return effect();
    };

    const { outcomes } = await relayIn(world, groups, { gate });

    expect(sends).toBe(2);
    expect(outcomes.filter(({ state }) => state === 'done')).toHaveLength(MAX_BATCH_ENTRIES - 1);
    expect(outcomes[0]).toEqual({ state: 'failed', reason: 'the destination failed' });
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(1);
    expect(world.marks.size).toBe(MAX_BATCH_ENTRIES);
  });
});

function refusing(id: string): World['destination']['answer'] {
  return (event) =>
    event.id === id ? { sent: false, cause: 'rejected', reason: 'too large' } : { sent: true };
}
