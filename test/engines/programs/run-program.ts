import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
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

/** Runs a program of this directory to its end. */
export async function runProgram(
  name: string,
  args: readonly string[],
  environment: Environment,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startProgram(name, args, environment);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}
