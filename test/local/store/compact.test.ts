import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compact } from '../../../local/store/compact.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { lockForWatch } from '../../../local/store/watch-lock.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { inDirectory } from './run-store.ts';

const GROUPS = 300;
const sizeOf = async (directory: string) => (await stat(join(directory, 'feed.db'))).size;

/** A directory from which most events were deleted. @returns its identity */
async function fill(directory: string): Promise<string> {
  const store = await openStore(directory);
  const keys = Array.from({ length: GROUPS }, (_, at) => aKey(at + 1));
  await Promise.all(keys.map((key) => store.snapshots.save(key, aSave(key, undefined, 10))));
  for (const key of keys.slice(1)) await store.eraser.erase(key, 9);
  const identity = await store.states.identity();
  await store.close();
  return identity;
}

test('a compacted directory has the size of its content, all of it, and goes on as the same feed', () =>
  inDirectory(async (directory) => {
    const identity = await fill(directory);
    const before = await sizeOf(directory);

    const compacted = await compact(directory, () => {});

    const after = await sizeOf(directory);
    expect(compacted).toEqual({ before, after });
    expect(after).toBeLessThan(before / 2);
    const store = await openStore(directory);
    expect(store.notices).toEqual([]);
    expect(await store.states.identity()).toBe(identity);
    expect(await store.ledger.read(aKey(1), 0, 99)).toHaveLength(10);
    expect(await store.ledger.read(aKey(GROUPS), 0, 99)).toHaveLength(1);
    expect(await store.snapshots.save(aKey(GROUPS + 1), aSave(aKey(GROUPS + 1), undefined, 1))).toBe('saved');
    await store.close();
  }));

test('a directory is not compacted while a watch has it, nor without room for its content twice', () =>
  inDirectory(async (directory) => {
    await fill(directory);
    const before = await sizeOf(directory);
    const lock = await lockForWatch(directory);

    await expect(compact(directory, () => {})).rejects.toThrow('in use by a "watch"');
    lock.release();
    await expect(
      compact(
        directory,
        () => {},
        async () => 500_000,
      ),
    ).rejects.toThrow(/To compact .*feed\.db takes \d MB on its disk meanwhile, and 1 MB are free/);

    expect(await sizeOf(directory)).toBe(before);
  }));

test('a directory without a feed gets none', () =>
  inDirectory(async (directory) => {
    await writeFile(join(directory, 'notes.txt'), '');

    await expect(compact(directory, () => {})).rejects.toThrow('no "watch" ever ran');

    expect(await readdir(directory)).toEqual(['notes.txt']);
  }));
