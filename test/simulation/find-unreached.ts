// `npm run simulate:unreached -- --seeds 2000`: lists the branches of shared/ that no run of the simulation takes. The
// simulation proves nothing about them; docs/unreached.md groups them by the tests that cover them instead.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import coverageReport, { type CoverageFile } from 'monocart-coverage-reports';

const SCRIPT = 'node_modules/.cache/simulate-unreached/cli.mjs';
/** Folders that are not part of the running feed: the contract's schemas, and `returns-feed probe`. */
const OTHER_FOLDERS = /^shared\/(?:contract|probing)\//;
const MOST_LETTERS = 110;

await build({
  entryPoints: ['test/simulation/cli.ts'],
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
  const code = await runSeeds(join(directory, 'coverage'), process.argv.slice(2));
  print(await filesOf(directory));
  process.exitCode = code;
} finally {
  await rm(directory, { recursive: true });
}

function runSeeds(coverage: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--single-threaded', SCRIPT, '--quiet', '--no-shrink', ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
      stdio: 'inherit',
    });
    child.on('close', (ended) => resolve(ended ?? 1));
  });
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
