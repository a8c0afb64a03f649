// Runs a native engine as a child process that can't outlive this one. On POSIX a shell between them, the guard, reads
// from a pipe that this process holds open. A line on the pipe requests a clean stop; the end of the pipe without a
// line means that this process is gone, and the shell kills the engine. Shell and engine run in a session of their own,
// so that Ctrl-C in the terminal only reaches this process and the engine stays available for the clean end. On Windows
// libuv's job object ends the children of a process that ends, and a hidden console keeps Ctrl-C from them.
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
  /**
   * Resolves when the engine or its guard has ended, at a stop or by itself: a lone engine would outlive this process.
   */
  readonly ended: Promise<void>;
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
  child.once('error', (error) => {
    stderr += error.message;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
    child.stderr.once('close', () => resolve());
  });
  /** An engine that runs holds its stderr open, even if its guard has ended. */
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (posix) stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_KEPT_CHARACTERS) stderr += text;
  });
  // The guard may already be gone when it gets the request to stop.
  child.stdin.on('error', () => {});

  /** While stderr is open the engine runs, so the id is still its own. */
  function signalEngine(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = posix ? Number(stdout) : child.pid;
    try {
      if (pid && !child.stderr.closed) process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }

  async function end(): Promise<void> {
    if (!posix) child.kill();
    else if (child.exitCode === null && child.signalCode === null) child.stdin.end('\n');
    else signalEngine('SIGTERM');
    const inTime = new AbortController();
    const late = sleep(stopTimeoutMs, 'late', { signal: inTime.signal }).catch(() => 'in time');
    // A guard that still runs waits for the engine, and then ends too.
    if ((await Promise.race([gone, late])) === 'late') signalEngine('SIGKILL');
    await gone;
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
    ended,
    stop() {
      ending ??= end();
      return ending;
    },
  };
}
