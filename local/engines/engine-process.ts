// A native engine as a child process that can't outlive this one. On POSIX a shell stands between: it holds the
// read end of a pipe of which we hold the other. A line on it asks for a clean stop; its end without one means that
// this process is gone, however it went, and the engine is killed. Both run in a session of their own, so that a
// Ctrl-C in the terminal reaches us alone and the engine is still there for our clean end. On Windows libuv's job
// object ends the children of a process that ends, and a hidden console keeps Ctrl-C from them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What an engine may say before we stop keeping it. */
const MAX_KEPT_CHARACTERS = 10_000;

/** Tells the engine's process id on stdout. */
const GUARD = [
  '"$@" </dev/null >/dev/null &',
  'echo $!',
  'exec >/dev/null 2>&1',
  'if read -r line; then kill -TERM $!; else kill -KILL $!; fi',
  'wait $!',
].join('\n');

export interface EngineProcess {
  /**
   * Waits for a text on the engine's stderr.
   *
   * @returns false when the engine ended before it said so.
   */
  said(pattern: RegExp): Promise<boolean>;
  /** What the engine has written to stderr so far. */
  stderr(): string;
  /** Ends the engine, cleanly if it does so in time. Resolves when the process is gone; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a program. That it could not be started shows in `said` and `stderr`.
 *
 * @param stopTimeoutMs how long it may take to end by itself before it is killed
 */
export function startEngineProcess(
  program: string,
  args: readonly string[],
  stopTimeoutMs = 3_000,
): EngineProcess {
  const posix = process.platform !== 'win32';
  const child = posix
    ? spawn('/bin/sh', ['-c', GUARD, 'sh', program, ...args], {
        detached: true,
        stdio: 'pipe',
      })
    : spawn(program, args, { windowsHide: true, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      stderr += error.message;
      resolve();
    });
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (posix) stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_KEPT_CHARACTERS) stderr += text;
  });
  // The guard may be gone already when it is asked to stop.
  child.stdin.on('error', () => {});

  async function end(): Promise<void> {
    if (posix) child.stdin.end('\n');
    else child.kill();
    const inTime = new AbortController();
    const late = sleep(stopTimeoutMs, 'late', { signal: inTime.signal }).catch(() => 'in time');
    if ((await Promise.race([exited, late])) === 'late') killHard(posix ? Number(stdout) : child.pid);
    await exited;
    inTime.abort();
  }

  let ending: Promise<void> | undefined;
  return {
    async said(pattern) {
      // The guard keeps running when the engine ends, but has closed its own stderr: what closes is the engine's.
      const closed = child.stderr.closed ? Promise.resolve() : once(child.stderr, 'close');
      while (!pattern.test(stderr)) {
        if (child.stderr.closed) return false;
        await Promise.race([closed, once(child.stderr, 'data')]);
      }
      return true;
    },
    stderr: () => stderr.trim(),
    stop() {
      ending ??= end();
      return ending;
    },
  };
}

/** The engine alone: its guard then sees it off. */
function killHard(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the timeout and the kill.
  }
}
