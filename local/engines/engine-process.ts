// A native engine as a child process that can't outlive this one. On POSIX a shell stands between: it holds the
// read end of a pipe of which we hold the other. A line on it asks for a clean stop; its end without one means that
// this process is gone, however it went, and the engine is killed. Both run in a session of their own, so that a
// Ctrl-C in the terminal reaches us alone and the engine is still there for our clean end. On Windows libuv's job
// object ends the children of a process that ends, and a hidden console keeps Ctrl-C from them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an engine may take to end by itself before it is killed. */
const STOP_TIMEOUT_MS = 3_000;

/** What an engine may say before we stop keeping it. */
const MAX_KEPT_CHARACTERS = 10_000;

const GUARD = [
  '"$@" </dev/null &',
  'exec 2>/dev/null',
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

/** Starts a program. That it could not be started shows in `said` and `stderr`. */
export function startEngineProcess(program: string, args: readonly string[]): EngineProcess {
  const posix = process.platform !== 'win32';
  const child = posix
    ? spawn('/bin/sh', ['-c', GUARD, 'sh', program, ...args], {
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
    : spawn(program, args, { windowsHide: true, stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      stderr += error.message;
      resolve();
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_KEPT_CHARACTERS) stderr += text;
  });
  // The guard may be gone already when it is asked to stop.
  child.stdin.on('error', () => {});

  let stopping: Promise<void> | undefined;
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
      stopping ??= stop(child, exited, posix);
      return stopping;
    },
  };
}

async function stop(child: ChildProcess, exited: Promise<void>, posix: boolean): Promise<void> {
  if (posix) child.stdin?.end('\n');
  else child.kill();
  const timer = new AbortController();
  const late = sleep(STOP_TIMEOUT_MS, 'late', { signal: timer.signal }).catch(() => undefined);
  if ((await Promise.race([exited, late])) === 'late') {
    kill(child, posix);
    await exited;
  }
  timer.abort();
}

function kill(child: ChildProcess, wholeGroup: boolean): void {
  try {
    if (wholeGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It ended between the timeout and the kill.
  }
}
