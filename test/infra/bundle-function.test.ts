// Tests the deployed bundles: each is built once, measured, and loaded in its own process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { bundle } from '../../infra/bundle-function.ts';

const directory = mkdtempSync(join(tmpdir(), 'returns-feed-bundles-'));
afterAll(() => rmSync(directory, { recursive: true }));

function bundled(name: string): string {
  const outfile = join(directory, name, 'index.mjs');
  bundle(fileURLToPath(new URL(`../../functions/${name}/handler.ts`, import.meta.url)), outfile);
  return outfile;
}

describe.each([
  // A bundle with only the DynamoDB client has 64 KB, or 100 KB with the SDK's chain of credential providers. The limits
  // are 2 to 3 KB above what each bundle had in November 2026: enough for small changes, not for a library by accident.
  { name: 'dispatcher', exported: ['handler'], maxKiB: 140 },
  { name: 'poller', exported: ['handler'], maxKiB: 198 },
  { name: 'pull', exported: ['handler'], maxKiB: 121 },
  { name: 'relay', exported: ['handler', 'sweep'], maxKiB: 136 },
  { name: 'sample-warehouse', exported: ['handler', 'onBus'], maxKiB: 153 },
  { name: 'webhook', exported: ['handler', 'sweep'], maxKiB: 143 },
])('the bundle of the $name', ({ name, exported, maxKiB }) => {
  const file = bundled(name);

  test('exports the configured handlers, and loads without any environment', () => {
    const program = `import(${JSON.stringify(file)}).then((it) => console.log(JSON.stringify(Object.keys(it))))`;

    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: {} });

    expect(JSON.parse(String(printed))).toEqual(exported);
  });

  test(`is at most ${maxKiB} KB compressed`, () => {
    expect(gzipSync(readFileSync(file), { level: 9 }).length / 1_024).toBeLessThan(maxKiB);
  });

  test('has the licences of the packages in it beside it', () => {
    const notices = readFileSync(join(directory, name, 'THIRD-PARTY-NOTICES.txt'), 'utf8');

    expect(notices).toMatch(/^@aws-sdk\/client-dynamodb \d/m);
    expect(notices).toMatch(/^zod \d/m);
    expect(notices).toContain('Apache License');
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(notices).not.toMatch(/^hono \d/m);
  });

  test('takes credentials only from the environment', () => {
    const text = readFileSync(file, 'utf8');

    expect(text).toContain('AWS_ACCESS_KEY_ID');
    expect(text).not.toContain('sso_start_url');
  });

  test('is the same for the same sources', () => {
    const before = readFileSync(file, 'utf8');
    bundled(name);

    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

test('the bundle of the webhook has only English messages of zod, and no library for signatures', () => {
  const text = readFileSync(bundled('webhook'), 'utf8');

  expect(text).toContain('Invalid input: expected');
  expect(text).not.toMatch(/Ungültige Eingabe|standardwebhooks|sha256-js/);
});
