// Stores the endpoint of a data directory's engine while a process uses the directory, so that another command can
// read the state of a running feed instead of being locked out.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from './engine-error.ts';

const FILE = 'endpoint';
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

/**
 * Stores the endpoint in the data directory.
 *
 * @returns a function that removes it
 * @throws EngineError if it can't be written
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

/** The stored endpoint, valid only while the directory is locked; undefined if there is none. */
export async function readEngine(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  return LOOPBACK.test(text) ? text : undefined;
}
