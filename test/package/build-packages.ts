// Both packages, built and packed as `npm run build` does.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The paths of the packed packages. */
export interface Tarballs {
  /** The contract, the kit and the construct: `returns-change-feed`. */
  readonly library: string;
  /** The command: `returns-feed`. */
  readonly command: string;
}

/** @param into receives the packages as folders and as files */
export async function buildPackages(into: string): Promise<Tarballs> {
  const script = join(ROOT, '.ci/build-packages.ts');
  const { stdout } = await runCommand(process.execPath, ['--import', 'tsx', script, into], { cwd: ROOT });
  const [library = '', command = ''] = stdout.trim().split('\n');
  return { library: join(into, library), command: join(into, command) };
}
