import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runFeed } from '../cli/run-feed.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'init-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('init writes an app whose source has the given name, address and secret', async () => {
  const app = join(directory, 'shops/app');
  const options = ['--source', 'shop-1', '--base-url', 'https://shop.example.com/api/'];

  const { code, stdout } = await runFeed(['init', app, ...options]);

  const written = await readFile(join(app, 'app.ts'), 'utf8');
  expect(code).toBe(0);
  expect(stdout).toContain('npm install');
  expect(written).toContain(
    "{ name: 'shop-1', baseUrl: 'https://shop.example.com/api', tokenSecret: 'returns-feed/shop-1' }",
  );
  expect(await readFile(join(app, 'README.md'), 'utf8')).toContain('--name returns-feed/shop-1');
  expect((await readdir(app)).sort()).toEqual([
    ...['.gitignore', 'README.md', 'app.ts', 'arrivals.test.ts', 'arrivals.ts', 'cdk.json', 'package.json'],
    ...['try.ts', 'tsconfig.json'],
  ]);
});

test('a quote in the address does not end its string', async () => {
  await runFeed(['init', join(directory, 'app'), '--base-url', "https://shop.example.com/o'neill"]);

  expect(await readFile(join(directory, 'app/app.ts'), 'utf8')).toContain(
    "baseUrl: 'https://shop.example.com/o%27neill'",
  );
});

test('init refuses a directory that is not empty, and leaves it alone', async () => {
  await writeFile(join(directory, 'notes.txt'), 'mine');

  const { code, stderr } = await runFeed(['init', directory]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: .* is not empty: name a directory/);
  expect(await readdir(directory)).toEqual(['notes.txt']);
});

test.each([
  ['a file in place of the directory', ['file'], /can't be created/],
  ['an invalid name', ['app', '--source', 'Shop 1'], /characters a-z/],
  ['an invalid address', ['app', '--base-url', 'shop'], /not an https address/],
])('init refuses %s, and writes nothing', async (_, args, message) => {
  await writeFile(join(directory, 'file'), '');
  const [name = '', ...options] = args;

  const { code, stderr } = await runFeed(['init', join(directory, name), ...options]);

  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(await readdir(directory)).toEqual(['file']);
});

test('the app has the feature flags of this repository', async () => {
  const [ours, theirs] = await Promise.all(
    ['cdk.json', 'local/new-app/cdk.json'].map(async (file) =>
      JSON.parse(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')),
    ),
  );

  expect(theirs.context).toEqual(ours.context);
});
