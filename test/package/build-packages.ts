// Both packages, built and packed as `npm run build` does: once, before the tests that install them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { runCommand } from './run-command.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The paths of the packed packages; a test gets them by `inject('tarballs')`. */
interface Tarballs {
  /** The contract, the kit and the construct: `returns-change-feed`. */
  readonly library: string;
  /** The command: `returns-feed`. */
  readonly command: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly tarballs: Tarballs;
  }
}

/** @returns a function that removes them */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'returns-feed-packages-'));
  const script = join(ROOT, '.ci/build-packages.ts');
  const { stdout } = await runCommand(process.execPath, ['--import', 'tsx', script, folder], { cwd: ROOT });
  const [library = '', command = ''] = stdout.trim().split('\n');
  project.provide('tarballs', { library: join(folder, library), command: join(folder, command) });
  return () => rm(folder, { recursive: true });
}
