// Runs programs/use-store.ts as a process of its own: bundled, because many are started.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = new URL('../../../', import.meta.url);
const PROGRAM = fileURLToPath(new URL(`node_modules/.cache/use-store/${process.pid}.mjs`, ROOT));

buildSync({
  entryPoints: [fileURLToPath(new URL('programs/use-store.ts', import.meta.url))],
  outfile: PROGRAM,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
});
process.once('exit', () => rmSync(PROGRAM, { force: true }));

type Mode = 'begin' | 'save' | 'once' | 'other' | 'fill' | 'swell' | 'look' | 'lock' | 'peek';

export interface StoreProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly lines: AsyncIterableIterator<string>;
}

/** @param prefix a command that runs the process, for instance on another file system */
export function startStore(mode: Mode, directory: string, prefix: readonly string[] = []): StoreProcess {
  const command = [...prefix, process.execPath, PROGRAM, mode, directory];
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Runs it to its end. @returns its lines */
export async function runStore(
  mode: Mode,
  directory: string,
  prefix: readonly string[] = [],
): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of startStore(mode, directory, prefix).lines) lines.push(line);
  return lines;
}

/** A new directory for the work, removed afterwards. */
export async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
