// Installs MiniStack from PyPI, with fixed versions, into node_modules/.cache.
import { type ExecFileException, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ministack', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

export interface Installed {
  readonly python: string;
}

/** @returns the reason if nothing could be installed: Python, OpenSSL or the network is missing */
export async function install(): Promise<Installed | string> {
  const versions = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  const directory = join(CACHE, versions.slice(0, 16));
  const python = join(directory, 'venv/bin/python');
  const complete = join(directory, 'complete');
  if (existsSync(complete)) return { python };
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  try {
    // MiniStack makes its certificate with it.
    await run('openssl', ['version']);
    await run('python3', ['-m', 'venv', join(directory, 'venv')]);
    const options = ['--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS];
    await run(python, ['-m', 'pip', 'install', ...options]);
  } catch (error) {
    const { message, stderr } = error as ExecFileException;
    return (stderr || message).trim().split('\n').at(-1) ?? message;
  }
  mkdirSync(complete);
  return { python };
}
