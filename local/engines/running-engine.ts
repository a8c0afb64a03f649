// Where the engine of a data directory listens, as long as a process has the directory: so that a command can look at
// the state of a feed that is running, instead of being locked out.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from './engine-error.ts';

const FILE = 'endpoint';
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

/**
 * @returns what takes the note back
 * @throws EngineError where it can't be written
 */
export async function announceEngine(dataDir: string, endpoint: string): Promise<() => Promise<void>> {
  const file = join(dataDir, FILE);
  try {
    await writeFile(file, endpoint);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(`The data directory ${dataDir} can't be used: ${reason}. Remove ${file}.`, {
      cause,
    });
  }
  return () => rm(file, { force: true });
}

/** The endpoint that was noted, true only while the directory is locked; undefined where there is none. */
export async function readEngine(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  return LOOPBACK.test(text) ? text : undefined;
}
