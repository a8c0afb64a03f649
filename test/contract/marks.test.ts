import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, aSave } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('marks $name', ({ open }) => {
  let stores: Stores;
  let lastGroup = 1_000;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  /** A group with ten events: no mark moves beyond the last one. */
  async function freshKey() {
    const key = aKey(lastGroup++);
    await stores.snapshots.save(key, aSave(key, undefined, 10));
    return key;
  }

  test('has no mark before the first event of a group is sent', async () => {
    expect(await stores.marks.load('queue', await freshKey())).toBeUndefined();
  });

  test.each([
    ['forward', [3, 8], 8],
    ['never back', [8, 3], 8],
    ['nowhere where it is already', [5, 5], 5],
  ])('moves a mark %s', async (_, moves, expected) => {
    const key = await freshKey();

    for (const sequence of moves) await stores.marks.advance('queue', key, sequence);

    expect(await stores.marks.load('queue', key)).toBe(expected);
  });

  test('returns whether a mark moved', async () => {
    const key = await freshKey();

    const moved: boolean[] = [];
    for (const sequence of [3, 3, 2, 4]) moved.push(await stores.marks.advance('queue', key, sequence));

    expect(moved).toEqual([true, false, false, true]);
  });

  test('keeps the highest of several concurrent moves', async () => {
    const key = await freshKey();

    await Promise.all([4, 9, 2, 7, 1, 8].map((sequence) => stores.marks.advance('queue', key, sequence)));

    expect(await stores.marks.load('queue', key)).toBe(9);
  });

  test('keeps destinations and generations apart', async () => {
    const key = await freshKey();
    await stores.marks.advance('queue', key, 3);

    expect(await stores.marks.load('bus', key)).toBeUndefined();
    expect(await stores.marks.load('queue', { ...key, generation: 'older' })).toBeUndefined();
  });

  test('a note that a group is behind does not move its mark', async () => {
    const [marked, unmarked] = [await freshKey(), await freshKey()];
    await stores.marks.advance('queue', marked, 3);

    for (const key of [marked, unmarked]) {
      await stores.marks.noteBehind('queue', key, { sequence: 4, reason: 'refused' });
      await stores.marks.noteBehind('queue', key, undefined);
    }

    expect(await stores.marks.load('queue', marked)).toBe(3);
    expect(await stores.marks.load('queue', unmarked)).toBeUndefined();
  });

  test('a group is not noted as behind at an event that its mark has passed', async () => {
    const [key, ahead] = [await freshKey(), await freshKey()];
    await stores.marks.advance('hook', key, 4);
    await stores.marks.advance('hook', ahead, 3);

    const noted = [key, ahead].map((each) =>
      stores.marks.noteBehind('hook', each, { sequence: 4, reason: 'refused' }),
    );

    expect(await Promise.all(noted)).toEqual([false, true]);
  });

  test('a group with a rejected first event advances like any other', async () => {
    const key = await freshKey();
    await stores.marks.noteBehind('queue', key, { sequence: 1, reason: 'refused' });

    await stores.marks.advance('queue', key, 2);

    expect(await stores.marks.load('queue', key)).toBe(2);
  });

  test('stores the time since which the next event has failed, until the mark moves', async () => {
    const key = await freshKey();
    await stores.marks.advance('hook', key, 3);
    const since = await stores.marks.noteFailing('hook', key, {
      sequence: 4,
      reason: 'answered 500',
      at: 1_000,
    });

    expect(since).toEqual({ since: 1_000, contentSince: undefined });
    expect(
      await stores.marks.noteFailing('hook', key, { sequence: 4, reason: 'timeout', at: 2_000 }),
    ).toEqual({ since: 1_000, contentSince: undefined });
    expect(await stores.marks.position('hook', key)).toEqual({ sequence: 3, failingSince: 1_000 });

    await stores.marks.advance('hook', key, 4);

    expect(await stores.marks.position('hook', key)).toEqual({ sequence: 4, failingSince: undefined });
    expect(
      await stores.marks.noteFailing('hook', key, { sequence: 5, reason: 'timeout', at: 3_000 }),
    ).toEqual({ since: 3_000, contentSince: undefined });
  });

  test('stores the time since which the content of the next event is rejected, until another failure or a move', async () => {
    const key = await freshKey();
    const note = (at: number, isContent: boolean, sequence = 1, continues = true) => {
      const rejection = isContent ? { continues, until: at + 100 } : undefined;
      return stores.marks.noteFailing('hook', key, { sequence, reason: 'answered', at, rejection });
    };

    const noted = [];
    for (const [at, isContent] of [
      [1, true],
      [2, true],
      [3, false],
      [4, true],
      [5, true],
    ] as const)
      noted.push((await note(at, isContent))?.contentSince);
    await stores.marks.advance('hook', key, 1);
    noted.push((await note(6, true, 2))?.contentSince);
    await stores.marks.noteBehind('hook', key, { sequence: 2, reason: 'noted by hand' });
    noted.push((await note(7, true, 2))?.contentSince);
    noted.push((await note(8, true, 2, false))?.contentSince);
    const { rejectedUntil } = await stores.marks.position('hook', key);
    await stores.marks.noteBehind('hook', key, undefined);

    expect(noted).toEqual([1, 1, undefined, 4, 4, 6, 6, 8]);
    expect(rejectedUntil).toBe(108);
    expect(await note(9, true, 2)).toEqual({ since: 9, contentSince: 9 });
  });

  test('does not note a failure of an event that the mark has passed', async () => {
    const key = await freshKey();
    await stores.marks.advance('hook', key, 4);

    const failure = { sequence: 4, reason: 'timeout', at: 1_000 };
    expect(await stores.marks.noteFailing('hook', key, failure)).toBeUndefined();

    expect(await stores.marks.position('hook', key)).toEqual({ sequence: 4, failingSince: undefined });
  });

  test('stores the time since which the first event of a group has failed', async () => {
    const key = await freshKey();

    await stores.marks.noteFailing('hook', key, { sequence: 1, reason: 'timeout', at: 1_000 });

    expect(await stores.marks.position('hook', key)).toEqual({ sequence: undefined, failingSince: 1_000 });
    await stores.marks.noteBehind('hook', key, undefined);
    expect(await stores.marks.position('hook', key)).toEqual({
      sequence: undefined,
      failingSince: undefined,
    });
  });
});
