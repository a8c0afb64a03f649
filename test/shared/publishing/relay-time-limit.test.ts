// The relay at its time limit: what was sent is marked, and the rest fails or waits for the next run.
import { describe, expect, test } from 'vitest';
import { MAX_BATCH_ENTRIES } from '../../../shared/limits.ts';
import { aKey } from './an-event.ts';
import { createWorld, range, relayIn } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);

describe('the time limit', () => {
  test('no send begins after the limit; sent events are marked, and the rest fails', async () => {
    const world = createWorld();
    const groups = range(1, 3 * MAX_BATCH_ENTRIES).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1);

    const { outcomes } = await relayIn(world, groups, { sendTakesMs: 600, timeLeftMs: 1000 });

    expect(world.destination.batches).toHaveLength(2);
    expect(world.marks.size).toBe(2 * MAX_BATCH_ENTRIES);
    expect(outcomes.filter(({ state }) => state === 'failed')).toEqual(
      range(1, MAX_BATCH_ENTRIES).map(() => ({ state: 'failed', reason: 'the time was over' })),
    );
  });

  test('no send begins after one that took all of the time', async () => {
    const world = createWorld();
    world.show(A, 1, 2);

    const { outcomes } = await relayIn(world, [A], { sendTakesMs: 1000, timeLeftMs: 1000 });

    expect(world.numbersArrived(A)).toEqual([1]);
    expect(outcomes).toEqual([{ state: 'failed', reason: 'the time was over' }]);
  });

  test('the relay waits for the shortest of several pauses, and others may end meanwhile', async () => {
    const world = createWorld();
    const C = aKey(3);
    for (const key of [A, B, C]) world.show(key, 1);
    const tries = new Map<string, number>();
    world.destination.answer = ({ partitionkey }) => {
      tries.set(partitionkey, (tries.get(partitionkey) ?? 0) + 1);
      return tries.get(partitionkey) === 1
        ? { sent: false, cause: 'failed', reason: 'throttled' }
        : { sent: true };
    };
    const luck = [0.9, 0.2, 0.5];

    const { tookMs } = await relayIn(world, [A, B, C], { random: () => luck.shift() ?? 0 });

    expect(world.destination.batches.map((batch) => batch.map(({ partitionkey }) => partitionkey))).toEqual([
      ['acme/1', 'acme/2', 'acme/3'],
      ['acme/2'],
      ['acme/3'],
      ['acme/1'],
    ]);
    expect(tookMs).toBe(90);
  });

  test('groups with pauses that ended during a send go out together', async () => {
    const world = createWorld();
    const C = aKey(3);
    for (const key of [A, B, C]) world.show(key, 1);
    world.show(C, 2);
    const tried = new Set<string>();
    world.destination.answer = ({ partitionkey, id }) => {
      const fails = partitionkey !== 'acme/3' && !tried.has(id);
      tried.add(id);
      return fails ? { sent: false, cause: 'failed', reason: 'throttled' } : { sent: true };
    };
    const luck = [0.2, 0.5];

    await relayIn(world, [A, B, C], { sendTakesMs: 100, random: () => luck.shift() ?? 0 });

    expect(world.destination.batches.map((batch) => batch.map(({ partitionkey }) => partitionkey))).toEqual([
      ['acme/1', 'acme/2', 'acme/3'],
      ['acme/3'],
      ['acme/1', 'acme/2'],
    ]);
  });

  test('the marks of sent events move before a pause', async () => {
    const world = createWorld();
    world.show(A, 1, 2);
    const marked: number[] = [];
    world.destination.answer = ({ data }) => {
      if (data.sequence === 2) marked.push(world.marks.get('queue#acme_mi8x2k_1') ?? 0);
      return data.sequence === 2 && marked.length === 1
        ? { sent: false, cause: 'failed', reason: 'throttled' }
        : { sent: true };
    };

    await relayIn(world, [A]);

    expect(marked).toEqual([0, 1]);
  });

  test.each([
    { what: 'no send begins exactly at it', limitMs: 0, sends: 0, tookMs: 0 },
    { what: 'no pause that ends exactly at it is waited for', limitMs: 50, sends: 1, tookMs: 0 },
    { what: 'no pause beyond it is waited for', limitMs: 120, sends: 2, tookMs: 50 },
  ])('of $limitMs ms: $what', async ({ limitMs, sends, tookMs }) => {
    const world = createWorld();
    world.show(A, 1);
    world.destination.answer = () => ({ sent: false, cause: 'failed', reason: 'throttled' });

    const run = await relayIn(world, [A], { timeLeftMs: limitMs });

    expect(run).toEqual({ outcomes: [{ state: 'failed', reason: 'the time was over' }], tookMs });
    expect(world.destination.batches).toHaveLength(sends);
  });
});
