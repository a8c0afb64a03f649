import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

type Environment = Record<string, string | undefined>;

/** Starts a program of this directory as its own process. */
export function startProgram(
  name: string,
  args: readonly string[] = [],
  environment: Environment = process.env,
): ChildProcessByStdio<null, Readable, Readable> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
