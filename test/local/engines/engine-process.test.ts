import { expect, test } from 'vitest';
import { startEngineProcess } from '../../../local/engines/engine-process.ts';

// Shell programs take the place of engines.
const onPosix = test.runIf(process.platform !== 'win32');
const startShell = (script: string, stopTimeoutMs?: number) =>
  startEngineProcess('/bin/sh', ['-c', script], stopTimeoutMs);

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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

onPosix('can be stopped again', async () => {
  const engine = startShell('echo listening >&2; exec sleep 60');
  await engine.said(/listening/);
  await engine.stop();

  await expect(engine.stop()).resolves.toBeUndefined();
});
