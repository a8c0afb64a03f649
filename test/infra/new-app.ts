// Apps for tests. CDK leaves a directory in the system's temporary folder for each App without an outdir. These apps
// have one that is removed after the tests of the file.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll } from 'vitest';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

const directory = mkdtempSync(join(tmpdir(), 'returns-feed-apps-'));
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * An app with the context of cdk.json, and the given one. CDK does not check its templates against the rules of
 * CloudFormation, which takes seconds: valid-templates.test.ts has that done for every feature.
 *
 * @returns an app with an `outdir` of its own
 */
export function newApp(ownContext: Readonly<Record<string, unknown>> = {}): App {
  return createApp(ownContext, false);
}

/** The same, but its synthesis throws an error if CloudFormation would refuse a template. */
export function newValidatedApp(ownContext: Readonly<Record<string, unknown>> = {}): App {
  return createApp(ownContext, true);
}

function createApp(
  ownContext: Readonly<Record<string, unknown>>,
  builtinCloudFormationValidation: boolean,
): App {
  return new App({
    builtinCloudFormationValidation,
    outdir: mkdtempSync(join(directory, 'app-')),
    context: { ...context, ...ownContext },
  });
}
