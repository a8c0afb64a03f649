// Asks the holder of a data directory's lock to release it: a file beside the lock is the request. A command that only
// needs the tables obeys, so that a page left open or a long replay does not keep `watch` from starting.
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;
/** Time for the holder's engine to end cleanly. */
const PATIENCE_MS = 10_000;

/**
 * Asks the holder of a lock.
 *
 * @param isHeld whether the holder still has it
 * @returns whether the holder released it in time
 */
export async function requestLock(lockFile: string, isHeld: () => Promise<boolean>): Promise<boolean> {
  const file = requestOf(lockFile);
  await writeFile(file, String(process.pid));
  try {
    for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
      if (!(await isHeld())) return true;
      await sleep(LOOK_EVERY_MS);
    }
    return false;
  } finally {
    await rm(file, { force: true });
  }
}

/** Calls once when the lock is requested. @returns a function that stops watching */
export function watchForRequest(lockFile: string, onAsked: () => void): () => void {
  const timer = setInterval(() => {
    if (!existsSync(requestOf(lockFile))) return;
    clearInterval(timer);
    onAsked();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function requestOf(lockFile: string): string {
  return `${lockFile}.wanted`;
}
