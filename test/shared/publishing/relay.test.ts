import { describe, expect, test } from 'vitest';
import { FEED_GROUP, READ_GROUP } from '../../../shared/contract/event-id.ts';
import { MAX_BATCH_ENTRIES, RELAY_READ_EVENTS } from '../../../shared/limits.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { aKey } from './an-event.ts';
import { createWorld, failingOnce, type Gate, listing, range, relayIn } from './relay-world.ts';

const A = aKey(1);
const B = aKey(2);

/** What a relay does with the events that the ledger shows of group 1, unless another is named. */
interface Case {
  readonly group?: GroupKey['group'];
  readonly shown: readonly number[];
  /** Before the relay. */
  readonly mark?: number;
  readonly options?: Partial<RelayPorts>;
  readonly arrives: readonly number[];
  /** After the relay. @default the last of those that are shown */
  readonly marked?: number | 'never';
  /** The gap at which the group waits. @default the group is done */
  readonly missing?: { readonly from: number; readonly to: number };
}

const PAGE = RELAY_READ_EVENTS;

describe('the events of a group', () => {
  test.each<[string, Case]>([
    [
      'go out in order from the first, also if a later one triggered the relay',
      { shown: [3, 1, 2], arrives: [1, 2, 3], marked: 3 },
    ],
    ['go out if they are beyond the mark', { shown: range(1, 5), mark: 3, arrives: [4, 5] }],
    [
      'go out if they are more than one read returns',
      { shown: range(1, 2 * PAGE + 1), arrives: range(1, 2 * PAGE + 1) },
    ],
    ['may be none', { group: READ_GROUP, shown: [], arrives: [], marked: 'never' }],
    [
      'with feed.source_read reports go out as the newest, even if the ledger has lost numbers',
      { group: READ_GROUP, shown: range(7, PAGE + 9), arrives: [PAGE + 9] },
    ],
    [
      'with feed.source_read reports go out as the newest, beyond a gap after the mark',
      { group: READ_GROUP, shown: [PAGE + 12], mark: PAGE + 9, arrives: [PAGE + 12] },
    ],
    [
      'with feed.source_read reports go out as the newest, even if it ends the first page of the ledger',
      { group: READ_GROUP, shown: range(1, PAGE), arrives: [PAGE] },
    ],
    [
      'with feed.source_read reports go out as the newest, even if it ends the second page of the ledger',
      { group: READ_GROUP, shown: range(1, 2 * PAGE - 1), arrives: [2 * PAGE - 1] },
    ],
    [
      'that is withheld move only the mark',
      { group: FEED_GROUP, shown: range(1, PAGE + 2), arrives: [], options: { withholds: () => true } },
    ],
    [
      'that the destination does not get are passed over',
      { shown: range(1, 5), arrives: [2, 4], options: { admits: ({ data }) => data.sequence % 2 === 0 } },
    ],
    [
      'move the mark even if the destination gets none',
      { shown: range(1, PAGE + 1), arrives: [], options: { admits: () => false } },
    ],
    [
      'go out up to a gap, and the rest waits',
      { shown: [1, 2, 5, 6], arrives: [1, 2], marked: 2, missing: { from: 3, to: 4 } },
    ],
    [
      'wait for the first, which may become visible later',
      { shown: [2], arrives: [], marked: 'never', missing: { from: 1, to: 1 } },
    ],
    [
      'wait at a gap at the end of a read',
      {
        ...{ shown: [...range(1, PAGE - 1), PAGE + 1], arrives: range(1, PAGE - 1), marked: PAGE - 1 },
        missing: { from: PAGE, to: PAGE },
      },
    ],
  ])('%s', async (_, { group = 1, shown, mark, options, arrives, missing, marked = shown.at(-1) }) => {
    const world = createWorld();
    const key = aKey(group);
    world.show(key, ...shown);
    if (mark !== undefined) world.marks.set(`queue#acme_mi8x2k_${group}`, mark);

    const { outcomes } = await relayIn(world, [key], options);

    expect(world.numbersArrived(key)).toEqual(arrives);
    expect(world.marks.get(`queue#acme_mi8x2k_${group}`)).toBe(marked === 'never' ? undefined : marked);
    expect(outcomes).toEqual([missing === undefined ? { state: 'done' } : { state: 'waiting', missing }]);
  });

  test('go out once if the group is named twice', async () => {
    const world = createWorld();
    world.show(A, 1, 2);

    const { outcomes } = await relayIn(world, [A, A]);

    expect(world.numbersArrived(A)).toEqual([1, 2]);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
  });

  test('go out if only another group is withheld', async () => {
    const world = createWorld();
    world.show(aKey(FEED_GROUP), 1);
    world.show(A, 1);

    await relayIn(world, [aKey(FEED_GROUP), A], { withholds: ({ group }) => group === FEED_GROUP });

    expect(world.destination.received.map(({ partitionkey }) => partitionkey)).toEqual(['acme/1']);
  });

  test('are in batches with those of other groups, and may be in consecutive batches', async () => {
    const world = createWorld();
    const groups = range(1, MAX_BATCH_ENTRIES + 2).map((id) => aKey(id));
    for (const key of groups) world.show(key, 1, 2);

    await relayIn(world, groups);

    expect(world.destination.batches.map(({ length }) => length)).toEqual([10, 10, 2, 2]);
    for (const key of groups) expect(world.numbersArrived(key)).toEqual([1, 2]);
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

  test.each<[string, readonly number[], Partial<RelayPorts>, { reads: number; writes: number }]>([
    ['writes no mark if nothing was sent', [2], {}, { reads: 1, writes: 0 }],
    [
      'writes no mark for a withheld group without news',
      [],
      { withholds: () => true },
      { reads: 1, writes: 0 },
    ],
    ['reads again if the ledger may hold more events', range(1, PAGE), {}, { reads: 2, writes: PAGE / 10 }],
    ['reads once if it holds no more', range(1, PAGE - 1), {}, { reads: 1, writes: PAGE / 10 }],
    [
      'reads once a gap before more events than a read returns',
      range(2, PAGE + 2),
      {},
      { reads: 1, writes: 0 },
    ],
    ['writes a mark once for a batch', range(1, MAX_BATCH_ENTRIES), {}, { reads: 1, writes: 1 }],
  ])('%s', async (_, shown, options, { reads, writes }) => {
    const world = createWorld();
    world.show(A, ...shown);
    const calls: string[] = [];

    await relayIn(world, [A], { ...options, gate: listing(calls) });

    const count = (name: string) => calls.filter((call) => call === name).length;
    expect(count('marks.load')).toBe(1);
    expect([count('ledger.read'), count('marks.advance')]).toEqual([reads, writes]);
  });
});

describe('marks', () => {
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
