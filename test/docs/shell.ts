// A command of a document in a shell, in the checkout, as on a terminal of its reader.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Shell {
  /** Its exit code, null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** What it has printed. */
  output(): string;
  /** Does what Ctrl-C does, and waits for the end. */
  interrupt(): Promise<void>;
}

export function startShell(command: string): Shell {
  const child = spawn('bash', ['-c', command], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    // A group of its own: Ctrl-C reaches all processes of a terminal.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ended,
    output: () => output,
    async interrupt() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}
