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

test('creates the directory with its parents', async () => {
  const path = join(directory, 'a', 'b');

  await makeDataDirectory(path);

  expect((await stat(path)).isDirectory()).toBe(true);
});

test('accepts an existing directory', async () => {
  await expect(makeDataDirectory(directory)).resolves.toBeUndefined();
});

test('reports in one line that the directory, or a parent, is a file', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');

  await expect(makeDataDirectory(file)).rejects.toThrow(`The data directory ${file} can't be written: `);
  await expect(makeDataDirectory(join(file, 'a'))).rejects.toThrow("can't be written");
});

test.runIf(process.platform === 'linux')('fails where nothing can be created', async () => {
  await expect(makeDataDirectory('/proc/returns-feed')).rejects.toThrow("can't be written");
});
