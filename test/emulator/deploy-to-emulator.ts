// npm run deploy:emulator: bootstraps the AWS emulator at AWS_ENDPOINT_URL, deploys the trial stage with the CDK's own
// command line and looks up every resource. Then it deploys again, which must change nothing, and removes everything.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly } from '../stack/template.ts';
import { adaptToMoto, type Resources } from './adapt-to-moto.ts';
import { type DeployedStack, readDeployedStack } from './deployed-stack.ts';
import { findEmulator } from './find-emulator.ts';
import { environmentFor, runCdk } from './run-cdk.ts';

type Stacks = readonly { readonly name: string; readonly deployed: DeployedStack }[];

async function deployToEmulator(directory: string): Promise<void> {
  const { endpoint, isMoto } = await findEmulator(process.env.AWS_ENDPOINT_URL);
  Object.assign(process.env, environmentFor(endpoint));
  // No emulator supports Fn::GetStackOutput, the newest way for one stack to refer to another.
  const references = ['-c', '@aws-cdk/core:defaultCrossStackReferences=strong'];
  await runCdk(endpoint, 'synth', '--quiet', '-c', 'stage=trial', ...references, '--output', directory);
  const templates = readTemplates(directory);
  const leftOut = isMoto ? adaptToMoto(directory) : new Map<string, Resources>();
  const app = ['--app', directory];
  // For a stack deployed by a change set, moto loses the outputs that the other stack needs.
  const deploy = [
    'deploy',
    '--all',
    ...app,
    '--require-approval',
    'never',
    ...(isMoto ? ['--method', 'direct'] : []),
  ];

  await runCdk(endpoint, 'bootstrap', ...app);
  await runCdk(endpoint, ...deploy);
  const stacks: Stacks = await Promise.all(
    templates.map(async ({ name, template }) => ({
      name,
      deployed: await readDeployedStack(name, template, leftOut.get(name) ?? {}),
    })),
  );
  for (const { deployed } of stacks) await deployed.makeLeftOut();
  const before = await describe(stacks);
  console.log(`\n${before.join('\n')}`);

  const said = await runCdk(endpoint, ...deploy);
  expectNoChange(stacks, said);
  if ((await describe(stacks)).join() !== before.join())
    throw new Error('The second deployment changed a resource.');

  for (const { deployed } of [...stacks].reverse()) await deployed.removeLeftOut();
  await runCdk(endpoint, 'destroy', '--all', ...app, '--force');
  await printSummary(stacks, before.length, leftOut);
}

function readTemplates(directory: string) {
  const suffix = '.template.json';
  const names = readdirSync(directory).flatMap((file) =>
    file.endsWith(suffix) ? [file.replace(suffix, '')] : [],
  );
  return names.sort().map((name) => ({ name, template: readAssembly(directory, name).template }));
}

async function describe(stacks: Stacks): Promise<string[]> {
  const lines: string[] = [];
  for (const { deployed } of stacks) lines.push(...(await deployed.describe()));
  return lines;
}

function expectNoChange(stacks: Stacks, said: string): void {
  const changed = stacks.filter(({ name }) => !said.includes(`${name} (no changes)`));
  if (changed.length > 0)
    throw new Error(`The second deployment changed ${changed.map(({ name }) => name).join(' and ')}.`);
}

async function printSummary(
  stacks: Stacks,
  count: number,
  leftOut: ReadonlyMap<string, Resources>,
): Promise<void> {
  const remains = (await Promise.all(stacks.map(({ deployed }) => deployed.remains()))).flat();
  const types = [...leftOut.values()].flatMap((resources) =>
    Object.values(resources).map(({ Type }) => Type),
  );
  console.log(`\n${count} resources of ${stacks.length} stacks exist; a second deployment changed nothing.`);
  if (types.length > 0)
    console.log(
      `moto's CloudFormation can't create ${types.length} of them; the services' own APIs created them: ` +
        `${[...new Set(types)].sort().join(', ')}.`,
    );
  if (remains.length === 0) return console.log('Nothing is left.');
  console.log(`The emulator reports that everything is deleted, but these remain:\n${remains.join('\n')}`);
}

const directory = mkdtempSync(join(tmpdir(), 'returns-feed-emulator-'));
try {
  await deployToEmulator(directory);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}
