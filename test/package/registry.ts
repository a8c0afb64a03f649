// What these tests take from the registry that npm is configured with. Without it they are skipped, with a message.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './build-packages.ts';
import { runCommand } from './run-command.ts';

const CACHE = join(ROOT, 'node_modules/.cache/package-tests');

/**
 * A release of Node.
 *
 * @returns the folder of its programs; undefined without a registry
 */
export async function nodeRelease(version: string): Promise<string | undefined> {
  const program = await orSkip(`Node ${version}`, () =>
    runCommand('npx', ['--yes', '-p', `node@${version}`, '--', 'node', '-p', 'process.execPath'], {
      cwd: ROOT,
    }),
  );
  return program && dirname(program.stdout.trim());
}

/**
 * A release of CDK, which is kept for later runs.
 *
 * @returns its folder of packages; undefined without a registry
 */
export async function cdkRelease(version: string): Promise<string | undefined> {
  const folder = join(CACHE, `cdk-${version}`);
  const packages = join(folder, 'node_modules');
  if (existsSync(join(packages, 'aws-cdk-lib/package.json'))) return packages;
  await mkdir(folder, { recursive: true });
  const install = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    `aws-cdk-lib@${version}`,
    'constructs',
  ];
  return (await orSkip(`CDK ${version}`, () => runCommand('npm', install, { cwd: folder }))) && packages;
}

/** Runs a checker at an exact version. @returns what it found; empty if all is well; undefined without a registry */
export async function findingsOf(tool: string, ...args: string[]): Promise<string | undefined> {
  return orSkip(tool, () =>
    runCommand('npx', ['--yes', tool, ...args], { cwd: ROOT }).then(
      () => '',
      (error: { stdout: string; stderr: string }) => {
        if (NO_REGISTRY.test(error.stderr)) throw error;
        return `${error.stdout}${error.stderr}`;
      },
    ),
  );
}

/** npm reports such codes if it can't reach its registry, and E404 if a mirror lacks the package. */
const NO_REGISTRY = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET|E40[34]|E50\d)\b/;

async function orSkip<Result>(what: string, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    if (!NO_REGISTRY.test(stderr)) throw error;
    console.warn(`Skipped: ${what} can't be installed. ${stderr.trim().split('\n')[0]}`);
    return undefined;
  }
}
