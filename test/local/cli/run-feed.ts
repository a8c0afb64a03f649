import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const COMMAND = fileURLToPath(new URL('../../../local/cli/returns-feed.js', import.meta.url));

/** After this time the process gets a signal, so that a hanging test leaves no process behind. */
const LONGEST_MS = 120_000;

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly token?: string | undefined;
  /** The user who runs it. @default this one */
  readonly uid?: number;
  /** On standard input. @default nothing */
  readonly input?: string;
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
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    ...(options.uid !== undefined && { uid: options.uid }),
  });
  // Most commands end without having read it.
  child.stdin.on('error', () => {}).end(options.input);
  child.stdout.once('readable', () => options.onOutput?.(child));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

export interface TerminalOptions {
  readonly columns: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Typed as soon as the output contains the text. */
  readonly answers?: readonly { readonly after: string; readonly keys: string }[];
}

/** Runs `returns-feed` on a terminal of this width (`script` of util-linux makes one). `stdout` has both streams. */
export async function runFeedOnTerminal(args: readonly string[], options: TerminalOptions): Promise<Ended> {
  const words = [process.execPath, COMMAND, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const command = `stty cols ${options.columns} rows 50 -echo; exec ${words.join(' ')}`;
  const { RETURNS_API_TOKEN: _, NO_COLOR: __, FORCE_COLOR: ___, ...environment } = process.env;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...environment, TERM: 'xterm', ...options.environment },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  });
  const answers = [...(options.answers ?? [])];
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
    const [next] = answers;
    if (next === undefined || !stdout.includes(next.after)) return;
    answers.shift();
    child.stdin.write(next.keys);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout.replaceAll('\r\n', '\n'), stderr: '' };
}
