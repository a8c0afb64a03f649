import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EngineError, errorCode } from '../../test/engines/engine-error.ts';

/**
 * Creates the directory and its parents if missing, and checks that it can be written.
 *
 * @throws EngineError if it can't be created or written
 */
export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await makeWithParents(path);
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a directory');
    await access(path, constants.W_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(`The data directory ${path} can't be written: ${reason}`, { cause });
  }
}

/** Node's recursive mkdir never returns if mkdir answers ENOENT inside an existing directory, as below /proc. */
async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeWithParents(dirname(path));
    await mkdir(path);
  }
}
