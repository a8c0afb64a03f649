import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../local/engines/data-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engines-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('makes the directory with its parents', async () => {
  const path = join(directory, 'a', 'b');

  await makeDataDirectory(path);

  expect((await stat(path)).isDirectory()).toBe(true);
});

test('takes a directory that is there', async () => {
  await expect(makeDataDirectory(directory)).resolves.toBeUndefined();
});

test('says in one line that a file is in the place of the directory, or of a parent', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');

  await expect(makeDataDirectory(file)).rejects.toThrow(`The data directory ${file} can't be written: `);
  await expect(makeDataDirectory(join(file, 'a'))).rejects.toThrow("can't be written");
});

test.runIf(process.platform === 'linux')('gives up where nothing can be made', async () => {
  await expect(makeDataDirectory('/proc/returns-feed')).rejects.toThrow("can't be written");
});
