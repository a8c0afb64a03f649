// Saves with more events than DynamoDB takes items in a transaction.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupKey, Log, Save } from '../../shared/ports.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { createMemoryDestination } from '../fakes/memory-destination.ts';
import { runs } from '../property-runs.ts';
import { aKey, anEvent, aSave } from './sample-saves.ts';
import { hastyClock, STORES, type Stores } from './stores.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
/** Around the number of items of a transaction, where items begin to hold two and three events, and far beyond. */
const COUNTS = [89, 90, 91, 92, 179, 180, 200, 1_000];
/** Of the events that the group has before. */
const BEFORE = 3;

describe.each(STORES)('a large save $name', ({ open }) => {
  let stores: Stores;
  let lastGroup = 1_000;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  const freshKey = () => aKey(lastGroup++);
  const loadOne = async (key: GroupKey) =>
    (await stores.snapshots.load(key, [Number(key.group)])).get(Number(key.group));
  const readAll = (key: GroupKey) => stores.ledger.read(key, 0, 3_000);
  const numbersOf = async (key: GroupKey, after: number, limit: number) =>
    (await stores.ledger.read(key, after, limit)).map((entry) => entry.sequence);
  /** A group with a few events of an earlier save, and then this many. */
  async function saveAfterOthers(key: GroupKey, events: number): Promise<[earlier: Save, large: Save]> {
    const earlier = aSave(key, undefined, BEFORE);
    const large = aSave(key, earlier.snapshot, events);
    await stores.snapshots.save(key, earlier);
    await stores.snapshots.save(key, large);
    return [earlier, large];
  }

  test.each(COUNTS)('of %i events is read as single events, in order', async (count) => {
    const key = freshKey();

    const saves = await saveAfterOthers(key, count);

    const events = saves.flatMap((save) => save.events);
    expect(await readAll(key)).toEqual(events.map((event, at) => ({ sequence: at + 1, event })));
    expect(await loadOne(key)).toEqual(saves[1].snapshot);
  });

  test('is followed by further saves', async () => {
    const key = freshKey();
    const [, large] = await saveAfterOthers(key, 200);
    const next = aSave(key, large.snapshot, 91);

    const results = [
      await stores.snapshots.save(key, next),
      await stores.snapshots.save(key, aSave(key, next.snapshot, 1)),
    ];

    expect(results).toEqual(['saved', 'saved']);
    expect(await numbersOf(key, 0, 3_000)).toEqual(numbers(1, BEFORE + 200 + 91 + 1));
  });

  test('is read from after any number, with any limit', async () => {
    const keys = new Map(COUNTS.map((count) => [count, freshKey()]));
    for (const [count, key] of keys) await saveAfterOthers(key, count);

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...keys),
        fc.nat(1_010),
        fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 1_010 })),
        async ([count, key], after, limit) => {
          const last = BEFORE + count;

          const read = await numbersOf(key, after, limit);

          expect(read).toEqual(numbers(after + 1, Math.min(after + limit, last)));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('is listed with its last number', async () => {
    const source = { source: 'large', generation: 'mi8x2k' };
    const key = aKey(7, source);
    await saveAfterOthers(key, 200);

    const last: number[] = [];
    for await (const group of stores.ledger.groups())
      if (group.key.source === source.source) last.push(group.last);

    expect(last.at(-1)).toBe(BEFORE + 200);
  });

  test.each([91, 200, 1_000])('of %i events is saved once if it is repeated', async (count) => {
    const key = freshKey();
    const [, large] = await saveAfterOthers(key, count);

    const again = await stores.snapshots.save(key, structuredClone(large));

    expect(again).toBe('saved');
    expect(await readAll(key)).toHaveLength(BEFORE + count);
  });

  test.each([91, 200, 1_000])('of %i events saves nothing on a replaced version', async (count) => {
    const key = freshKey();
    const first = aSave(key, undefined, 1);
    await stores.snapshots.save(key, first);

    const result = await stores.snapshots.save(key, aSave(key, undefined, count));

    expect(result).toBe('conflict');
    expect(await loadOne(key)).toEqual(first.snapshot);
    expect(await readAll(key)).toHaveLength(1);
  });

  test('lets exactly one of several on the same version win', async () => {
    const key = freshKey();
    const counts = [91, 200, 1, 150, 90];

    const results = await Promise.all(
      counts.map((count) => stores.snapshots.save(key, aSave(key, undefined, count))),
    );

    const winner = counts[results.indexOf('saved')] ?? 0;
    expect(results.filter((result) => result === 'saved')).toHaveLength(1);
    expect(await numbersOf(key, 0, 3_000)).toEqual(numbers(1, winner));
  });

  test.each([91, 200, 1_000])('of %i events saves nothing if its first number is taken', async (count) => {
    const key = freshKey();
    await stores.ledger.append(key, anEvent(key, 1));

    const saving = stores.snapshots.save(key, aSave(key, undefined, count));

    await expect(saving).rejects.toThrow('does not know of');
    expect(await loadOne(key)).toBeUndefined();
    expect(await readAll(key)).toHaveLength(1);
  });

  test('is delivered by a relay completely and in order, also from the middle', async () => {
    const [whole, half] = [freshKey(), freshKey()];
    await saveAfterOthers(whole, 1_000);
    await saveAfterOthers(half, 200);
    const destination = createMemoryDestination(`queue-${whole.group}`);
    await stores.marks.advance(destination.name, half, 98);
    const relay = createRelay({
      ...stores,
      destination,
      clock: hastyClock,
      log: SILENT,
      random: Math.random,
    });

    const outcomes = await relay([whole, half], 80_000);

    const arrivedOf = (key: GroupKey) =>
      destination.received
        .filter(({ partitionkey }) => partitionkey === `${key.source}/${key.group}`)
        .map(({ data }) => data.sequence);
    expect(outcomes).toEqual([{ state: 'done' }, { state: 'done' }]);
    expect(arrivedOf(whole)).toEqual(numbers(1, BEFORE + 1_000));
    expect(arrivedOf(half)).toEqual(numbers(99, BEFORE + 200));
    expect(await stores.marks.load(destination.name, whole)).toBe(BEFORE + 1_000);
    expect(await stores.marks.load(destination.name, half)).toBe(BEFORE + 200);
  });

  test('is erased up to any number, step by step', async () => {
    const steps = fc.array(fc.nat(210), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(91, 150, 200), steps, async (count, throughs) => {
        const key = freshKey();
        const saves = await saveAfterOthers(key, count);
        const events = saves.flatMap((save) => save.events);
        let gone = 0;

        for (const through of throughs) {
          const erased = await stores.eraser.erase(key, through);

          const before = gone;
          gone = Math.max(gone, Math.min(through, events.length));
          expect(erased).toBe(gone - before);
          expect(await readAll(key)).toEqual(
            events.slice(gone).map((event, at) => ({ sequence: gone + at + 1, event })),
          );
        }
      }),
      { numRuns: runs(12) },
    );
  });
});

/** The numbers from one to another, both included. */
function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
