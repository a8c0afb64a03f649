// Apps for tests. CDK leaves a temporary directory for each App without an `outdir`. The directories of these apps are
// removed after the tests of each file (remove-apps.ts).
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { newAppDirectory } from './app-directories.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

/**
 * Creates an app with the context of cdk.json and the given one. Its templates are not checked against CloudFormation's
 * rules, because that takes seconds: templates.test.ts checks them for every feature.
 *
 * @returns an app with an `outdir` of its own
 */
export function newApp(ownContext: Readonly<Record<string, unknown>> = {}): App {
  return createApp(ownContext, false);
}

/** Creates such an app whose synthesis throws an error if CloudFormation would reject a template. */
export function newValidatedApp(ownContext: Readonly<Record<string, unknown>> = {}): App {
  return createApp(ownContext, true);
}

function createApp(
  ownContext: Readonly<Record<string, unknown>>,
  builtinCloudFormationValidation: boolean,
): App {
  return new App({
    builtinCloudFormationValidation,
    outdir: newAppDirectory(),
    context: { ...context, ...ownContext },
  });
}
