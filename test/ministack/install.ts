// Installs what the run needs, with fixed versions: MiniStack from PyPI, and Node 24 for Lambda's workers from npm. They
// are kept in node_modules/.cache.
import { type ExecFileException, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ministack', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
/** The platform's own package: the package `node` would have to run an install script. */
const NODE = `node-${process.platform}-${process.arch}`;
const NODE_VERSION = '24.21.0';

export interface Installed {
  readonly python: string;
  /** The directory of a `node` with the functions' version. */
  readonly nodeDirectory: string;
}

/** @returns the reason if nothing could be installed: Python, OpenSSL or the network is missing */
export async function install(): Promise<Installed | string> {
  const versions = createHash('sha256').update(readFileSync(REQUIREMENTS)).update(NODE_VERSION).digest('hex');
  const directory = join(CACHE, versions.slice(0, 16));
  const python = join(directory, 'venv/bin/python');
  const installed = { python, nodeDirectory: join(directory, 'node_modules', NODE, 'bin') };
  const complete = join(directory, 'complete');
  if (existsSync(complete)) return installed;
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  try {
    // MiniStack makes its certificate with it.
    await run('openssl', ['version']);
    await run('python3', ['-m', 'venv', join(directory, 'venv')]);
    await Promise.all([
      run(python, [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--requirement',
        REQUIREMENTS,
      ]),
      run('npm', ['install', '--silent', '--no-save', '--prefix', directory, `${NODE}@${NODE_VERSION}`], {
        cwd: directory,
      }),
    ]);
  } catch (error) {
    const { message, stderr } = error as ExecFileException;
    return (stderr || message).trim().split('\n').at(-1) ?? message;
  }
  mkdirSync(complete);
  return installed;
}
