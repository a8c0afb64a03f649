// Apps for tests. CDK makes a directory in the system's temporary folder for each App that names none, and leaves it
// there: these have one that goes when the tests of the file are over.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll } from 'vitest';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

const directory = mkdtempSync(join(tmpdir(), 'returns-feed-apps-'));
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * With the context of cdk.json, and what is given beside it.
 *
 * @returns an app with an `outdir` of its own
 */
export function newApp(ownContext: Readonly<Record<string, unknown>> = {}): App {
  return new App({
    outdir: mkdtempSync(join(directory, 'app-')),
    context: { ...context, ...ownContext },
  });
}
