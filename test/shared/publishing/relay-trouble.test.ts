// What the relay does about a destination that takes its time, refuses, fails, or is not there.
import { describe, expect, test } from 'vitest';
import { MAX_BATCH_ENTRIES, SEND_ATTEMPTS } from '../../../shared/limits.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from './an-event.ts';
import { createWorld, failingOnce, type Gate, openGate, range, relayIn, type World } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);

describe('what the destination answers', () => {
  test('a refused event stops its group at its mark, noted as behind; the others go on', async () => {
    const world = createWorld();
    world.show(A, 1, 2, 3);
    world.show(B, 1, 2, 3);
    world.destination.answer = refusing('acme_mi8x2k_1_2');

    const { outcomes } = await relayIn(world, [A, B]);

    expect(world.numbersArrived(A)).toEqual([1]);
    expect(world.numbersArrived(B)).toEqual([1, 2, 3]);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(1);
    expect(world.behind).toEqual(new Map([['queue#acme_mi8x2k_1', '2: too large']]));
    expect(outcomes).toEqual([{ state: 'behind', sequence: 2, reason: 'too large' }, { state: 'done' }]);
  });

  test('an event that can’t be decoded stops its group likewise', async () => {
    const world = createWorld();
    world.show(A, 1, 2);
    world.undecodable.add('acme_mi8x2k_1_2');

    const { outcomes } = await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1]);
    expect(outcomes).toEqual([{ state: 'behind', sequence: 2, reason: 'of a later format' }]);
  });

  test('a group whose note can’t be written has failed', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.destination.answer = refusing('acme_mi8x2k_1_1');

    const { outcomes } = await relayIn(world, [A], { gate: failingOnce('marks.noteBehind') });

    expect(outcomes.map(({ state }) => state)).toEqual(['failed']);
  });

  test('the note goes once the group goes on', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.behind.set('queue#acme_mi8x2k_1', '1: too large');

    await relayIn(world, [A]);

    expect(world.behind.size).toBe(0);
  });

  test('a failed event is tried again after growing pauses, its successors wait for it', async () => {
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

  test('an event that fails every time fails its group in bounded time, and holds up no other', async () => {
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

  test('an answer that leaves an event out counts as a failure', async () => {
    const world = createWorld();
    world.show(A, 1);
    const ports = world.ports(openGate);

    const { outcomes } = await relayIn(world, [A], {
      destination: { ...ports.destination, send: async () => [] },
    });

    expect(outcomes.map(({ state }) => state)).toEqual(['failed']);
    expect(world.marks.size).toBe(0);
  });

  test('where the destination fails as a whole, all that was not confirmed has failed and the rest is marked', async () => {
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

describe('time', () => {
  test('no send begins after the time is over; what was sent is marked, the rest has failed', async () => {
    const world = createWorld();
    const groups = range(1, 3 * MAX_BATCH_ENTRIES).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1);
    const clock = createVirtualClock();
    const gate: Gate = async (call, effect) => {
      if (call === 'destination.send') await clock.sleep(600);
      return effect();
    };
    const run = createRelay({ ...world.ports(gate), clock, random: () => 0 });

    const outcomes = await clock.run(run(groups, 1000));

    expect(world.destination.batches).toHaveLength(2);
    expect(world.marks.size).toBe(2 * MAX_BATCH_ENTRIES);
    expect(outcomes.filter(({ state }) => state === 'failed')).toHaveLength(MAX_BATCH_ENTRIES);
  });

  test('a pause beyond the end is not waited for', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.destination.answer = () => ({ sent: false, cause: 'failed', reason: 'throttled' });

    const { outcomes, tookMs } = await relayIn(world, [A], { timeLeftMs: 120 });

    expect(tookMs).toBe(50);
    expect(outcomes).toEqual([{ state: 'failed', reason: 'the time was over' }]);
  });
});

function refusing(id: string): World['destination']['answer'] {
  return (event) =>
    event.id === id ? { sent: false, cause: 'refused', reason: 'too large' } : { sent: true };
}
