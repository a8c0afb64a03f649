// npm run ministack: installs MiniStack, starts it in a temporary directory, runs the checks of this folder against it,
// and ends it. Without Python or without network it is left out, with a message; in CI that is a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type Installed, install } from './install.ts';
import { startMiniStack } from './start-ministack.ts';

const CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

interface Options {
  readonly report?: string | undefined;
  readonly keep?: string | undefined;
  readonly only?: string | undefined;
}

await new Command('ministack')
  .description(
    "Deploys both stages to MiniStack, an emulator of AWS, with the CDK's own command line, and uses them.",
  )
  .option('--report <file>', 'write the results as JSON, in the format of vitest')
  .option('--only <text>', 'run only the checks whose names contain this text, after the deployment')
  .option('--keep <file>', "keep MiniStack's log")
  .action(run)
  .parseAsync();

async function run({ report, keep, only }: Options): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'returns-feed-ministack-'));
  try {
    const began = Date.now();
    const installed = await install();
    if (typeof installed === 'string') {
      const problem = `MiniStack could not be installed: ${installed}`;
      process.exitCode = process.env.CI ? 1 : 0;
      console.log(process.env.CI ? problem : `Left out: ${problem}`);
      if (report) writeFileSync(report, JSON.stringify({ numPendingTests: 1 }));
      return;
    }
    console.log(`Installed in ${seconds(began)} s.`);
    process.exitCode = await check(directory, installed, { report, keep, only });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function check(
  directory: string,
  installed: Installed,
  { report, keep, only }: Options,
): Promise<number> {
  const began = Date.now();
  const ministack = await startMiniStack(directory, installed);
  const stop = () => {
    ministack.kill();
    rmSync(directory, { recursive: true, force: true });
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  console.log(`Started in ${seconds(began)} s.`);
  try {
    const reporters = [
      '--reporter=verbose',
      ...(report ? ['--reporter=json', `--outputFile.json=${report}`] : []),
    ];
    const filter = only ? ['--testNamePattern', `stages deploy|${only}`] : [];
    const vitest = spawn(process.execPath, [VITEST, 'run', '--config', CONFIG, ...reporters, ...filter], {
      env: { ...ministack.environment, MINISTACK_DIRECTORY: directory },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = await once(vitest, 'close');
    return code ?? 1;
  } finally {
    ministack.kill();
    if (keep) cpSync(ministack.log, keep);
  }
}

function seconds(began: number): string {
  return ((Date.now() - began) / 1_000).toFixed(1);
}
