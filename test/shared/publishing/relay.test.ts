import { describe, expect, test } from 'vitest';
import { FEED_GROUP } from '../../../shared/contract/event-id.ts';
import { MAX_BATCH_ENTRIES, RELAY_READ_EVENTS, SEND_ATTEMPTS } from '../../../shared/limits.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from './an-event.ts';
import { createWorld, type Gate, openGate, type World } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);
const MINUTE_MS = 60_000;

/** Relays on virtual time; answers the outcomes and how long it took. */
async function relay(
  world: World,
  groups: readonly GroupKey[],
  {
    gate = openGate,
    timeLeftMs = MINUTE_MS,
    ...ports
  }: Partial<RelayPorts> & { gate?: Gate; timeLeftMs?: number } = {},
) {
  const clock = createVirtualClock();
  const run = createRelay({ ...world.ports(gate), clock, random: () => 0.5, ...ports });
  const outcomes = await clock.run(run(groups, timeLeftMs));
  return { outcomes, tookMs: clock.elapsed() / 1000 };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('what is sent', () => {
  test('a group’s events go out in order, from its first, whatever number set the relay off', async () => {
    const world = createWorld();
    world.show(A, 3, 1, 2);

    const { outcomes } = await relay(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1, 2, 3]);
    expect(outcomes).toEqual([{ state: 'done' }]);
  });

  test('only what is beyond the mark goes out', async () => {
    const world = createWorld();
    world.show(A, ...range(1, 5));
    world.marks.set('queue#acme_mi8x2k_1', 3);

    await relay(world, [A]);

    expect(world.numbersArrived(A)).toEqual([4, 5]);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(5);
  });

  test('a group named twice goes out once', async () => {
    const world = createWorld();
    world.show(A, 1, 2);

    const { outcomes } = await relay(world, [A, A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
  });

  test('more events than are read at once go out all the same', async () => {
    const world = createWorld();
    world.show(A, ...range(1, 2 * RELAY_READ_EVENTS + 1));

    await relay(world, [A]);

    expect(world.numbersArrived(A)).toEqual(range(1, 2 * RELAY_READ_EVENTS + 1));
  });

  test('batches are filled across groups, the events of one group in one batch after another', async () => {
    const world = createWorld();
    const groups = range(1, MAX_BATCH_ENTRIES + 2).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1, 2);

    await relay(world, groups);

    expect(world.destination.batches.map(({ length }) => length)).toEqual([10, 10, 2, 2]);
    for (const key of groups) expect(world.numbersArrived(key)).toEqual([1, 2]);
  });

  test('of a group that is withheld nothing goes out, but its mark moves', async () => {
    const world = createWorld();
    const feed = aKey(FEED_GROUP);
    world.show(feed, ...range(1, RELAY_READ_EVENTS + 2));
    world.show(A, 1);

    const { outcomes } = await relay(world, [feed, A], { withholds: ({ group }) => group === FEED_GROUP });

    expect(world.numbersArrived(feed)).toEqual([]);
    expect(world.marks.get('queue#acme_mi8x2k_feed')).toBe(RELAY_READ_EVENTS + 2);
    expect(world.numbersArrived(A)).toEqual([1]);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
  });
});

describe('marks', () => {
  test('a group’s mark is written once for a batch’s worth of its events', async () => {
    const world = createWorld();
    world.show(A, ...range(1, MAX_BATCH_ENTRIES));
    const calls: string[] = [];

    await relay(world, [A], { gate: listing(calls) });

    expect(calls.filter((call) => call === 'marks.advance')).toHaveLength(1);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(MAX_BATCH_ENTRIES);
  });

  test('never more than a batch is sent and unmarked', async () => {
    const world = createWorld();
    const groups = range(1, 7).map((id) => aKey(id));
    for (const key of groups) world.show(key, ...range(1, 9));
    const unmarked: number[] = [];
    const gate: Gate = async (call, effect) => {
      const result = effect();
      const marked = [...world.marks.values()].reduce((sum, mark) => sum + mark, 0);
      if (call === 'destination.send') unmarked.push(world.destination.received.length - marked);
      return result;
    };

    await relay(world, groups, { gate });

    expect(Math.max(...unmarked)).toBeLessThanOrEqual(MAX_BATCH_ENTRIES);
  });

  test('a mark that can’t be moved fails its group, and no other', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, 1);
    const gate: Gate = async (call, effect) => {
      if (call === 'marks.advance' && world.marks.size === 1) throw new Error('unavailable');
      return effect();
    };

    const { outcomes } = await relay(world, [A, B], { gate });

    expect(outcomes.map(({ state }) => state)).toEqual(['done', 'failed']);
  });

  test('events that can’t be read fail their group, and no other', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, 1);
    const gate: Gate = failingOnce('ledger.read');

    const { outcomes } = await relay(world, [A, B], { gate });

    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'done']);
    expect(world.numbersArrived(B)).toEqual([1]);
  });
});

describe('gaps', () => {
  test('the run before a gap goes out, the rest waits', async () => {
    const world = createWorld();
    world.show(A, 1, 2, 5, 6);

    const { outcomes } = await relay(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'waiting', missing: { from: 3, to: 4 } }]);
  });

  test('a group never sent waits for its first event, which may be a moment from being seen', async () => {
    const world = createWorld();
    world.show(A, 2);

    const { outcomes } = await relay(world, [A]);

    expect(world.destination.received).toEqual([]);
    expect(outcomes).toEqual([{ state: 'waiting', missing: { from: 1, to: 1 } }]);
  });
});

describe('what the destination answers', () => {
  test('a refused event stops its group at its mark, noted as behind; the others go on', async () => {
    const world = createWorld();
    world.show(A, 1, 2, 3);
    world.show(B, 1, 2, 3);
    world.destination.answer = refusing('acme_mi8x2k_1_2');

    const { outcomes } = await relay(world, [A, B]);

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

    const { outcomes } = await relay(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1]);
    expect(outcomes).toEqual([{ state: 'behind', sequence: 2, reason: 'of a later format' }]);
  });

  test('a group whose note can’t be written has failed', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.destination.answer = refusing('acme_mi8x2k_1_1');

    const { outcomes } = await relay(world, [A], { gate: failingOnce('marks.noteBehind') });

    expect(outcomes.map(({ state }) => state)).toEqual(['failed']);
  });

  test('the note goes once the group goes on', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.behind.set('queue#acme_mi8x2k_1', '1: too large');

    await relay(world, [A]);

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

    const { outcomes, tookMs } = await relay(world, [A]);

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

    const { outcomes, tookMs } = await relay(world, [A, B]);

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

    const { outcomes } = await relay(world, [A], {
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

    const { outcomes } = await relay(world, groups, { gate });

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

    const { outcomes, tookMs } = await relay(world, [A], { timeLeftMs: 120 });

    expect(tookMs).toBe(50);
    expect(outcomes).toEqual([{ state: 'failed', reason: 'the time was over' }]);
  });
});

function refusing(id: string): World['destination']['answer'] {
  return (event) =>
    event.id === id ? { sent: false, cause: 'refused', reason: 'too large' } : { sent: true };
}

function failingOnce(name: string): Gate {
  let failed = false;
  return async (call, effect) => {
    if (call === name && !failed) {
      failed = true;
      throw new Error('unavailable');
    }
    return effect();
  };
}

function listing(calls: string[]): Gate {
  return async (call, effect) => {
    calls.push(call);
    return effect();
  };
}
