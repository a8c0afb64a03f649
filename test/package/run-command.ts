// Runs a command like in a user's own project, without the variables of the npm that runs the tests.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. @default nothing */
  readonly input?: string;
}

/** @throws the error of `execFile`, with `stdout` and `stderr`, if the command fails */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, input = '' }: RunOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const ownEnv = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const running = promisify(execFile)(command, [...args], {
    cwd,
    env: { ...Object.fromEntries(ownEnv), ...env },
  });
  running.child.stdin?.end(input);
  return running;
}

/** @returns why an attempt fails, shortened; undefined if it succeeds */
export async function whyNot(attempt: () => Promise<unknown>): Promise<string | undefined> {
  return attempt().then(
    () => undefined,
    (error) => String(error).slice(0, 300),
  );
}
