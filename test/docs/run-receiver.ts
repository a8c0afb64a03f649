// Starts the receivers of docs/examples/webhooks, each as its own process, as its page describes. Slow preparations are
// cached in node_modules/.cache.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { vi } from 'vitest';
import { runCommand, whyNot } from '../package/run-command.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const EXAMPLES = join(ROOT, 'docs/examples/webhooks');
const CACHE = join(ROOT, 'node_modules/.cache/webhook-receivers');

/** Starts a receiver on a port. */
export type CommandFor = (port: number) => readonly string[];

/** Prepares a receiver. @returns why its runtime or packages are not available; undefined if they are */
export type Preparation = () => Promise<CommandFor | string>;

/** A TypeScript example, with this checkout's kit in place of the installed package. */
export function ofTypeScript(file: string, folder = EXAMPLES): Preparation {
  return async () => {
    const outfile = join(CACHE, file.replace(/ts$/, 'mjs'));
    await build({
      entryPoints: [join(folder, file)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['express', 'hono', '@hono/node-server', '@aws-*', 'standardwebhooks', 'zod'],
    });
    return () => [process.execPath, outfile];
  };
}

/** The example in Python, with the packages that its first line names. */
export async function ofPython(): Promise<CommandFor | string> {
  const [, packages = ''] =
    /^# pip install (.+)/.exec(readFileSync(join(EXAMPLES, 'receiver.py'), 'utf8')) ?? [];
  const venv = join(CACHE, 'venv');
  const installed = join(venv, 'installed.txt');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== packages) {
    await rm(venv, { recursive: true, force: true });
    const reason = await whyNot(async () => {
      await runCommand('python3', ['-m', 'venv', venv], { cwd: ROOT });
      const pip = ['-m', 'pip', 'install', '--quiet', '--timeout', '15', '--retries', '1'];
      await runCommand(join(venv, 'bin/python'), [...pip, ...packages.split(' ')], { cwd: ROOT });
    });
    if (reason !== undefined) return `Python or its packages are not available: ${reason}`;
    await writeFile(installed, packages);
  }
  const uvicorn = [join(venv, 'bin/uvicorn'), 'receiver:app', '--app-dir', EXAMPLES];
  return (port) => [...uvicorn, '--port', String(port)];
}

export async function ofJava(): Promise<CommandFor | string> {
  const reason = await whyNot(() => runCommand('javac', ['-version'], { cwd: ROOT }));
  if (reason !== undefined) return `No JDK is available: ${reason}`;
  const classes = join(CACHE, 'java');
  await mkdir(classes, { recursive: true });
  await runCommand('javac', ['-Werror', '-Xlint:all', '-d', classes, join(EXAMPLES, 'Receiver.java')], {
    cwd: classes,
  });
  return () => ['java', '-cp', classes, 'Receiver'];
}

/** The example in Go, with the library that its first line names. */
export async function ofGo(): Promise<CommandFor | string> {
  const file = join(EXAMPLES, 'receiver.go');
  const [, library = ''] = /^\/\/ go get (\S+)/.exec(readFileSync(file, 'utf8')) ?? [];
  const folder = join(CACHE, 'go');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'go.mod'), 'module receiver\n\ngo 1.22\n');
  await copyFile(file, join(folder, 'receiver.go'));
  const reason = await whyNot(() => runCommand('go', ['get', library], { cwd: folder }));
  if (reason !== undefined) return `Go or its library is not available: ${reason}`;
  await runCommand('go', ['vet', '.'], { cwd: folder });
  await runCommand('go', ['build', '-o', 'receiver', '.'], { cwd: folder });
  return () => [join(folder, 'receiver')];
}

export interface RunningReceiver {
  readonly url: string;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a receiver and waits until it listens. @throws Error with its output if it ends before */
export async function startReceiver(
  commandFor: CommandFor,
  env: Readonly<Record<string, string>>,
): Promise<RunningReceiver> {
  const port = await freePort();
  const [command = '', ...args] = commandFor(port);
  const child = spawn(command, args, {
    env: { ...process.env, ...env, PORT: String(port), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const ended = once(child, 'exit');
  await vi.waitUntil(async () => child.exitCode !== null || (await canConnect(port)), {
    timeout: 60_000,
    interval: 100,
  });
  if (child.exitCode !== null) throw new Error(`The receiver ended: ${output.join('')}`);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    output: () => output.join(''),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** A port that was free a moment ago, for receivers: they print none. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
