import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PrintedEvent } from './history.ts';
import { TOKEN } from './outside-service.ts';

/** A process of the command, as users run it, and its output. */
export interface WatchProcess {
  readonly pid: number | undefined;
  readonly printed: readonly PrintedEvent[];
  readonly messages: readonly string[];
  /** Sends a signal, and resolves with the exit code or the signal that ended the process. */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<number | string>;
  hasEnded(): boolean;
}

export interface StatusReport {
  readonly code: number | string;
  readonly text: string;
}

const COMMAND = fileURLToPath(new URL('../../local/cli/returns-feed.js', import.meta.url));

/**
 * @param switches options without a value
 * @param secrets what signs the posts that it forwards, and its token. @default none, and that of the service
 */
export function startWatch(
  options: Readonly<Record<string, string>>,
  switches: readonly string[] = [],
  {
    forwardSecret = '',
    token = TOKEN,
  }: { readonly forwardSecret?: string | undefined; readonly token?: string } = {},
): WatchProcess {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [COMMAND, 'watch', '--json', ...switches, ...flags], {
    env: { ...process.env, RETURNS_API_TOKEN: token, RETURNS_FORWARD_SECRET: forwardSecret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: PrintedEvent[] = [];
  const messages: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    printed.push({ arrivedAt: Date.now(), line }),
  );
  createInterface({ input: child.stderr }).on('line', (line) =>
    messages.push(`${new Date().toISOString().slice(11, 23)} ${line}`),
  );
  const closed = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });

  return {
    pid: child.pid,
    printed,
    messages,
    hasEnded: () => child.exitCode !== null,
    end(signal) {
      child.kill(signal);
      return closed;
    },
  };
}

/** Runs `returns-feed status`. */
export function askStatus(data: string): Promise<StatusReport> {
  const child = spawn(process.execPath, [COMMAND, 'status', '--json', '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'gone', text }));
  });
}
