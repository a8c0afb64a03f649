import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startEngineProcess } from './engine-process.ts';

// Shell programs take the place of engines.
const onPosix = test.runIf(process.platform !== 'win32');
const startShell = (script: string, stopTimeoutMs?: number) =>
  startEngineProcess('/bin/sh', ['-c', script], stopTimeoutMs);

const isRunning = (pid: number) => {
  // An orphan that has ended stays a zombie until the first process of the system or container gets to it.
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout);
};

const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1]);

onPosix("waits for the engine's message", async () => {
  const engine = startShell('echo "pid $$" >&2; echo "listening on 1" >&2; exec sleep 60');

  const said = await engine.said(/listening/);
  await engine.stop();

  expect(said).toBe(true);
  expect(isRunning(pidIn(engine.stderr()))).toBe(false);
});

onPosix('reports that an engine ended before its message, and why', async () => {
  const engine = startShell('echo "port 1 is already in use" >&2; exit 1');

  const said = await engine.said(/listening/);
  await engine.stop();

  expect(said).toBe(false);
  expect(engine.stderr()).toBe('port 1 is already in use');
});

onPosix('reports a missing program', async () => {
  const engine = startEngineProcess('/nothing/of/the/kind', []);

  const said = await engine.said(/listening/);
  await engine.stop();

  expect(said).toBe(false);
  expect(engine.stderr()).toMatch(/not found|no such file/i);
});

onPosix('kills an engine that ignores the signal to end', async () => {
  const script = 'trap "" TERM; echo "pid $$" >&2; echo listening >&2; exec sleep 60';
  const engine = startShell(script, 50);
  await engine.said(/listening/);

  await engine.stop();

  expect(isRunning(pidIn(engine.stderr()))).toBe(false);
});

onPosix('gives the engine its own session, which Ctrl-C does not reach', async () => {
  const engine = startShell(
    'echo "group $(ps -o pgid= -p $$ | tr -d " ")" >&2; echo listening >&2; exec sleep 60',
  );
  await engine.said(/listening/);

  await engine.stop();

  expect(engine.stderr()).toMatch(/group \d+/);
  expect(engine.stderr()).not.toContain(`group ${process.pid}\n`);
});

/** The id of the guard, which is the engine's parent. */
const guardIn = (text: string) => Number(/guard (\d+)/.exec(text)?.[1]);
const LISTENING = 'echo "guard $PPID pid $$" >&2; echo listening >&2;';

onPosix.each([
  ['', `${LISTENING} exec sleep 60`],
  [', also if it ignores the signal to end', `trap "" TERM; ${LISTENING} exec sleep 60`],
])('ends an engine whose guard was killed%s', async (_, script) => {
  const engine = startShell(script, 500);
  await engine.said(/listening/);
  process.kill(guardIn(engine.stderr()), 'SIGKILL');
  await engine.ended;

  await engine.stop();

  expect(isRunning(pidIn(engine.stderr()))).toBe(false);
});

onPosix('reports that the engine has ended', async () => {
  const engine = startShell(`${LISTENING} exec sleep 60`);
  await engine.said(/listening/);

  process.kill(pidIn(engine.stderr()), 'SIGKILL');

  await expect(engine.ended).resolves.toBeUndefined();
  await engine.stop();
});

onPosix('can be stopped again', async () => {
  const engine = startShell('echo listening >&2; exec sleep 60');
  await engine.said(/listening/);
  await engine.stop();

  await expect(engine.stop()).resolves.toBeUndefined();
});
