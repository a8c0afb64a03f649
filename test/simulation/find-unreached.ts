// `npm run simulate:unreached -- --seeds 2000`: lists the branches of shared/ that no run of the simulations takes: these
// seeds of plausible, and a share of them of each other profile and of webhooks. The simulations prove nothing about
// these branches; docs/unreached.md groups them by the tests that cover them instead.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { build } from 'esbuild';
import coverageReport, { type CoverageFile } from 'monocart-coverage-reports';
import { integer } from '../simulation-frame/command-line.ts';
import { PROFILES } from './plan.ts';

const SCRIPT = 'node_modules/.cache/simulate-unreached/cli.mjs';
/** Folders that are not part of the running feed: the contract's schemas, and `returns-feed probe`. */
const OTHER_FOLDERS = /^shared\/(?:contract|probing)\//;
const MOST_LETTERS = 110;
/** One seed of another profile for so many of plausible. */
const OTHERS_EVERY = 20;
/** As OTHERS_EVERY. A run of webhooks lasts several times as long. */
const WEBHOOKS_EVERY = 40;

const { seeds, from } = new Command('simulate:unreached')
  .description('Lists the branches of shared/ that no run of the simulations takes.')
  .option('--seeds <n>', 'how many seeds of plausible to run', integer(1), 2_000)
  .option('--from <seed>', 'the first seed, of each profile', integer(0), 1)
  .parse()
  .opts<{ seeds: number; from: number }>();

/** One program for both simulations, so that coverage of a line is counted once. */
const PROGRAM = `
  const name = process.env.SIMULATION;
  await (name === 'webhooks' ? import('../simulation-of-webhooks/cli.ts') : import('./cli.ts'));
`;

await build({
  stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
  outfile: SCRIPT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
const directory = await mkdtemp(join(tmpdir(), 'unreached-'));
try {
  for (const profile of PROFILES) {
    const share = profile === 'plausible' ? 1 : OTHERS_EVERY;
    await runSeeds('plausible', share, ['--profile', profile]);
  }
  await runSeeds('webhooks', WEBHOOKS_EVERY, ['--jobs', String(availableParallelism())]);
  print(await filesOf(directory));
} finally {
  await rm(directory, { recursive: true });
}

/** @param every a share of the seeds */
async function runSeeds(simulation: string, every: number, options: readonly string[]): Promise<void> {
  const count = ['--seeds', String(Math.ceil(seeds / every)), '--from', String(from)];
  process.stderr.write(`${simulation} ${[...count, ...options].join(' ')}\n`);
  const args = ['--single-threaded', SCRIPT, '--quiet', '--no-shrink', ...count, ...options];
  const env = { ...process.env, SIMULATION: simulation, NODE_V8_COVERAGE: join(directory, 'coverage') };
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? 1)));
  if (code !== 0) process.exitCode = code;
}

/** By path. */
async function filesOf(directory: string): Promise<readonly CoverageFile[]> {
  const report = coverageReport({
    outputDir: join(directory, 'report'),
    reports: [],
    logging: 'error',
    entryFilter: ({ url }: { readonly url: string }) => url.endsWith(SCRIPT),
    sourceFilter: (path: string) => path.startsWith('shared/') && !OTHER_FOLDERS.test(path),
    sourcePath: (path: string) => path.replace(/^.*?(?=(?:shared|functions|local|test)\/)/, ''),
  });
  await report.addFromDir(join(directory, 'coverage'));
  const files = (await report.generate())?.files ?? [];
  return files.sort((a, b) => (a.sourcePath < b.sourcePath ? -1 : 1));
}

function print(files: readonly CoverageFile[]): void {
  for (const { sourcePath, source = '', data } of files) {
    const lines = new Set(
      (data?.branches ?? [])
        .filter(({ count, ignored }) => count === 0 && ignored !== true)
        .map(({ start }) => source.slice(0, start).split('\n').length),
    );
    if (lines.size === 0) continue;
    process.stdout.write(`\n${sourcePath}\n`);
    for (const line of [...lines].sort((a, b) => a - b)) {
      const text = source.split('\n')[line - 1]?.trim() ?? '';
      process.stdout.write(`${String(line).padStart(5)}  ${text.slice(0, MOST_LETTERS)}\n`);
    }
  }
  const sum = (pick: (file: CoverageFile) => number) => files.reduce((so, file) => so + pick(file), 0);
  const total = sum(({ summary }) => summary.branches.total);
  const unreached = sum(({ summary }) => summary.branches.uncovered ?? 0);
  process.stdout.write(`\n${unreached} of ${total} branches were not taken.\n`);
}
