// One process at a time has a data directory: two engines on one file would not see each other's writes. The lock is
// a file with the holder's process id; that of a process which is gone, however it went, is taken over.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from './engine-error.ts';

const LOCK_FILE = 'lock';
/** Takeovers that others may beat us to. */
const MAX_TRIES = 5;

/**
 * Takes the directory for this process.
 *
 * @returns what gives it back
 * @throws EngineError while another process has it
 */
export async function lockDataDirectory(path: string): Promise<() => Promise<void>> {
  const file = join(path, LOCK_FILE);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = await readHolder(file);
    if (holder !== undefined && isAlive(holder)) {
      throw new EngineError(
        `The data directory ${path} is in use by process ${holder}. Stop it, or take another directory; ` +
          `if that process is something else, delete ${file}.`,
      );
    }
    await rm(file, { force: true });
  }
  throw new EngineError(`The data directory ${path} can't be locked: others keep taking it.`);
}

/** The process that has the directory, if any has. */
export async function findHolder(path: string): Promise<number | undefined> {
  const holder = await readHolder(join(path, LOCK_FILE));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

async function readHolder(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
