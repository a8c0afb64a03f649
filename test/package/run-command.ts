// A command as somebody types it in a project of their own: nothing of the npm that runs the tests reaches it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads. @default nothing */
  readonly input?: string;
}

/** @throws the error of `execFile`, with `stdout` and `stderr`, where the command fails */
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
