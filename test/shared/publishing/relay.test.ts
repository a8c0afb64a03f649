import { describe, expect, test } from 'vitest';
import { FEED_GROUP, READ_GROUP } from '../../../shared/contract/event-id.ts';
import { MAX_BATCH_ENTRIES, RELAY_READ_EVENTS } from '../../../shared/limits.ts';
import { aKey } from './an-event.ts';
import { createWorld, failingOnce, type Gate, listing, range, relayIn } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);

describe('sent events', () => {
  test('a group’s events go out in order from the first, also if a later one triggered the relay', async () => {
    const world = createWorld();
    world.show(A, 3, 1, 2);

    const { outcomes } = await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1, 2, 3]);
    expect(outcomes).toEqual([{ state: 'done' }]);
  });

  test('only events beyond the mark go out', async () => {
    const world = createWorld();
    world.show(A, ...range(1, 5));
    world.marks.set('queue#acme_mi8x2k_1', 3);

    await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual([4, 5]);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(5);
  });

  test('a group that is named twice goes out once', async () => {
    const world = createWorld();
    world.show(A, 1, 2);

    const { outcomes } = await relayIn(world, [A, A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
  });

  test('more events than one read returns go out', async () => {
    const world = createWorld();
    world.show(A, ...range(1, 2 * RELAY_READ_EVENTS + 1));

    await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual(range(1, 2 * RELAY_READ_EVENTS + 1));
  });

  test('a batch has events of several groups, and a group may have events in consecutive batches', async () => {
    const world = createWorld();
    const groups = range(1, MAX_BATCH_ENTRIES + 2).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1, 2);

    await relayIn(world, groups);

    expect(world.destination.batches.map(({ length }) => length)).toEqual([10, 10, 2, 2]);
    for (const key of groups) expect(world.numbersArrived(key)).toEqual([1, 2]);
  });

  test('of several feed.source_read reports only the newest is sent, even if the ledger has lost numbers', async () => {
    const world = createWorld();
    const read = aKey(READ_GROUP);
    world.show(read, ...range(7, RELAY_READ_EVENTS + 9));

    const first = await relayIn(world, [read]);
    world.show(read, RELAY_READ_EVENTS + 12);
    const second = await relayIn(world, [read]);

    expect(world.numbersArrived(read)).toEqual([RELAY_READ_EVENTS + 9, RELAY_READ_EVENTS + 12]);
    expect(world.marks.get('queue#acme_mi8x2k_read')).toBe(RELAY_READ_EVENTS + 12);
    expect([...first.outcomes, ...second.outcomes]).toEqual([{ state: 'done' }, { state: 'done' }]);
  });

  test.each([1, 2])(
    'the newest feed.source_read report is sent even if it ends page %i of the ledger',
    async (page) => {
      const world = createWorld();
      const read = aKey(READ_GROUP);
      const newest = page * RELAY_READ_EVENTS - (page - 1);
      world.show(read, ...range(1, newest));

      const { outcomes } = await relayIn(world, [read]);

      expect(world.numbersArrived(read)).toEqual([newest]);
      expect(outcomes).toEqual([{ state: 'done' }]);
    },
  );

  test('a source without feed.source_read reports has nothing to send', async () => {
    const world = createWorld();

    const { outcomes } = await relayIn(world, [aKey(READ_GROUP)]);

    expect(outcomes).toEqual([{ state: 'done' }]);
  });

  test('a withheld group sends no events, but its mark moves', async () => {
    const world = createWorld();
    const feed = aKey(FEED_GROUP);
    world.show(feed, ...range(1, RELAY_READ_EVENTS + 2));
    world.show(A, 1);

    const { outcomes } = await relayIn(world, [feed, A], { withholds: ({ group }) => group === FEED_GROUP });

    expect(world.numbersArrived(feed)).toEqual([]);
    expect(world.marks.get('queue#acme_mi8x2k_feed')).toBe(RELAY_READ_EVENTS + 2);
    expect(world.numbersArrived(A)).toEqual([1]);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
  });
});

describe('events that the destination does not get', () => {
  test('are passed over, and the events between them are sent in order', async () => {
    const world = createWorld();
    world.show(A, ...range(1, 5));

    const { outcomes } = await relayIn(world, [A], { admits: ({ data }) => data.sequence % 2 === 0 });

    expect(world.numbersArrived(A)).toEqual([2, 4]);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(5);
    expect(outcomes).toEqual([{ state: 'done' }]);
  });

  test('move the mark even if none of their group’s events is sent', async () => {
    const world = createWorld();
    world.show(A, ...range(1, RELAY_READ_EVENTS + 1));

    const { outcomes } = await relayIn(world, [A], { admits: () => false });

    expect(world.destination.received).toEqual([]);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(RELAY_READ_EVENTS + 1);
    expect(outcomes).toEqual([{ state: 'done' }]);
  });
});

describe('a run', () => {
  test('logs the number of its groups and of the events that it sent', async () => {
    const world = createWorld();
    world.show(A, 1, 2);
    world.show(B, 1);

    await relayIn(world, [A, B]);

    expect(world.log.lines).toEqual([
      { level: 'debug', message: 'relayed', fields: { destination: 'queue', groups: 2, sent: 3 } },
    ]);
  });

  test('fills a batch from the remaining groups before it sends', async () => {
    const world = createWorld();
    const groups = range(1, MAX_BATCH_ENTRIES + 5).map((id) => aKey(id));
    for (const key of groups.slice(MAX_BATCH_ENTRIES - 1)) world.show(key, 1);

    await relayIn(world, groups);

    expect(world.destination.batches.map(({ length }) => length)).toEqual([6]);
  });

  test('writes no mark if nothing was sent', async () => {
    const world = createWorld();
    world.show(A, 2);
    const calls: string[] = [];

    await relayIn(world, [A, B], { gate: listing(calls) });

    expect(calls).not.toContain('marks.advance');
  });

  test('writes no mark for a withheld group without new events', async () => {
    const world = createWorld();
    const calls: string[] = [];

    await relayIn(world, [A], { gate: listing(calls), withholds: () => true });

    expect(calls).toEqual(['marks.load', 'ledger.read']);
  });

  test('reads again only if the ledger may hold more events', async () => {
    const world = createWorld();
    world.show(A, ...range(1, RELAY_READ_EVENTS));
    world.show(B, ...range(1, RELAY_READ_EVENTS - 1));
    const readsOf = async (key: typeof A) => {
      const calls: string[] = [];
      await relayIn(world, [key], { gate: listing(calls) });
      return calls.filter((call) => call === 'ledger.read').length;
    };

    expect([await readsOf(A), await readsOf(B)]).toEqual([2, 1]);
  });

  test('stops at a gap at the end of a read', async () => {
    const world = createWorld();
    world.show(A, ...range(1, RELAY_READ_EVENTS - 1), RELAY_READ_EVENTS + 1);

    const { outcomes } = await relayIn(world, [A]);

    expect(outcomes).toEqual([
      { state: 'waiting', missing: { from: RELAY_READ_EVENTS, to: RELAY_READ_EVENTS } },
    ]);
  });
});

describe('marks', () => {
  test('a group’s mark is written once for a batch’s worth of its events', async () => {
    const world = createWorld();
    world.show(A, ...range(1, MAX_BATCH_ENTRIES));
    const calls: string[] = [];

    await relayIn(world, [A], { gate: listing(calls) });

    expect(calls.filter((call) => call === 'marks.advance')).toHaveLength(1);
    expect(world.marks.get('queue#acme_mi8x2k_1')).toBe(MAX_BATCH_ENTRIES);
  });

  test('at most a batch of events is sent and unmarked', async () => {
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

    await relayIn(world, groups, { gate });

    expect(Math.max(...unmarked)).toBeLessThanOrEqual(MAX_BATCH_ENTRIES);
  });

  test('a mark that can’t be moved fails only its group', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, 1);
    const gate: Gate = async (call, effect) => {
      if (call === 'marks.advance' && world.marks.size === 1) throw new Error('unavailable');
      return effect();
    };

    const { outcomes } = await relayIn(world, [A, B], { gate });

    expect(outcomes.map(({ state }) => state)).toEqual(['done', 'failed']);
  });

  test('events that can’t be read fail only their group', async () => {
    const world = createWorld();
    world.show(A, 1);
    world.show(B, 1);
    const gate: Gate = failingOnce('ledger.read');

    const { outcomes } = await relayIn(world, [A, B], { gate });

    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'done']);
    expect(world.numbersArrived(B)).toEqual([1]);
  });
});

describe('gaps', () => {
  test('the events before a gap go out, and the rest waits', async () => {
    const world = createWorld();
    world.show(A, 1, 2, 5, 6);

    const { outcomes } = await relayIn(world, [A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'waiting', missing: { from: 3, to: 4 } }]);
  });

  test('a gap before more events than one read returns is read once', async () => {
    const world = createWorld();
    world.show(A, ...range(2, RELAY_READ_EVENTS + 2));
    let reads = 0;
    const gate: Gate = async (call, effect) => {
      if (call === 'ledger.read') reads += 1;
      if (reads > 3) throw new Error('The gap is read repeatedly.');
      return effect();
    };

    const { outcomes } = await relayIn(world, [A], { gate });

    expect(outcomes).toEqual([{ state: 'waiting', missing: { from: 1, to: 1 } }]);
    expect(reads).toBe(1);
  });

  test('a group without sent events waits for its first event, which may become visible later', async () => {
    const world = createWorld();
    world.show(A, 2);

    const { outcomes } = await relayIn(world, [A]);

    expect(world.destination.received).toEqual([]);
    expect(outcomes).toEqual([{ state: 'waiting', missing: { from: 1, to: 1 } }]);
  });
});
