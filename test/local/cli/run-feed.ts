import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const COMMAND = fileURLToPath(new URL('../../../local/cli/returns-feed.js', import.meta.url));

/** After this time the process gets a signal, so that a hanging test leaves nothing behind. */
const LONGEST_MS = 60_000;

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly token?: string | undefined;
  /** In addition to the variables set here. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called at the first output on stdout. */
  readonly onOutput?: (child: ChildProcess) => void;
}

/** Runs `returns-feed` as its own process, to its end. */
export async function runFeed(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { RETURNS_API_TOKEN: _, ...environment } = process.env;
  const token = options.token === undefined ? {} : { RETURNS_API_TOKEN: options.token };
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...environment, ...options.environment, ...token },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  child.stdout.once('readable', () => options.onOutput?.(child));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}
