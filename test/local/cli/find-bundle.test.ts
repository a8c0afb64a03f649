import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleSources } from '../../../local/cli/bundle-sources.js';
import { findBundle } from '../../../local/cli/find-bundle.js';

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

/** A checkout; its command prints a text from its sources. */
let checkout: string;
let here: string;
let folder: string;

async function write(file: string, text: string, at = LONG_AGO): Promise<void> {
  await writeFile(join(checkout, file), text);
  await utimes(join(checkout, file), at, at);
}

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'bundle-'));
  here = join(checkout, 'local/cli');
  folder = join(checkout, 'node_modules/.cache/returns-feed');
  await mkdir(here, { recursive: true });
  await mkdir(join(checkout, 'node_modules/a-package'), { recursive: true });
  await write('tsconfig.json', '{}');
  await write('node_modules/.package-lock.json', '{}');
  await write('node_modules/a-package/package.json', '{"name":"a-package","main":"index.js"}');
  await write('node_modules/a-package/index.js', "exports.path = require('node:path').sep;");
  await write('local/cli/said.ts', "export const said: string = 'one';");
  await write('local/cli/main.ts', "import 'a-package';\nexport { said } from './said.ts';");
  // bundle-sources.js of the checkout; its content does not matter here.
  await write('local/cli/bundle-sources.js', '');
});
afterEach(() => rm(checkout, { recursive: true }));

const saidBy = async (bundle: string | undefined) => (await import(bundle ?? 'no bundle')).said;

test('a bundle is found as long as its sources are the same', async () => {
  const before = findBundle(folder, here);
  const bundle = bundleSources(folder, here);

  expect(before).toBeUndefined();
  expect(findBundle(folder, here)).toBe(bundle);
  expect(await saidBy(bundle)).toBe('one');
});

test('a changed source makes a new bundle, and the old one stays for processes that load parts of it later', async () => {
  const old = bundleSources(folder, here);
  await write('local/cli/said.ts', "export const said: string = 'two';", new Date('2026-01-02T00:00:00Z'));

  const found = findBundle(folder, here);
  const bundle = bundleSources(folder, here);

  expect(found).toBeUndefined();
  expect([await saidBy(old), await saidBy(bundle)]).toEqual(['one', 'two']);
});

test('bundles that no checkout has used for a month are removed', async () => {
  const notForLong = new Date(Date.now() - 29 * 24 * 60 * 60 * 1_000);
  const old = await bundleOf('two', LONG_AGO);
  const recent = await bundleOf('three', notForLong);
  const other = join(checkout, 'other/cli');
  await mkdir(other, { recursive: true });
  await write('other/cli/main.ts', "export const said = 'four';");
  const ofOther = bundleSources(folder, other);
  await utimes(dirname(ofOther), LONG_AGO, LONG_AGO);

  await bundleOf('five', LONG_AGO);

  expect([old, recent, ofOther].map((bundle) => existsSync(bundle))).toEqual([false, true, true]);
});

/** The bundle of sources that say this, made at another time. */
async function bundleOf(text: string, madeAt: Date): Promise<string> {
  await write('local/cli/said.ts', `export const said: string = '${text}';`);
  const bundle = bundleSources(folder, here);
  await utimes(dirname(bundle), madeAt, madeAt);
  return bundle;
}

test.each([
  ['packages were installed', 'node_modules/.package-lock.json', '{"packages":{}}'],
  ['the bundling changed', 'local/cli/bundle-sources.js', '//'],
])('no bundle is found after %s', async (_, file, text) => {
  bundleSources(folder, here);
  await write(file, text);

  expect(findBundle(folder, here)).toBeUndefined();
});

test('a source that changes while it is bundled does not mark the bundle as up to date', async () => {
  await write('local/cli/said.ts', "export const said = 'one';", new Date(Date.now() + 60_000));

  bundleSources(folder, here);

  expect(findBundle(folder, here)).toBeUndefined();
});
