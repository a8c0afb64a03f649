// Runs a native engine as a child process that can't outlive this one. On POSIX a shell between them reads from a pipe
// that this process holds open. A line on the pipe requests a clean stop; the end of the pipe without a line means that
// this process is gone, and the shell kills the engine. Shell and engine run in a session of their own, so that Ctrl-C
// in the terminal only reaches this process and the engine stays available for the clean end. On Windows libuv's job
// object ends the children of a process that ends, and a hidden console keeps Ctrl-C from them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Characters of an engine's stderr that are kept. */
const MAX_KEPT_CHARACTERS = 10_000;

/** Prints the engine's process id on stdout. */
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
   * @returns false if the engine ended before it printed the text
   */
  said(pattern: RegExp): Promise<boolean>;
  /** The engine's output on stderr so far. */
  stderr(): string;
  /** Ends the engine, and kills it if it is too slow. Resolves when the process is gone; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a program. If that fails, `said` resolves to false and `stderr` has the reason.
 *
 * @param stopTimeoutMs time for a clean end before the program is killed
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
  // The guard may already be gone when it gets the request to stop.
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
      // The guard outlives the engine but has closed its own stderr, so the stream closes when the engine ends.
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

/** Kills only the engine: its guard waits for it and then ends too. */
function killHard(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the timeout and the kill.
  }
}
