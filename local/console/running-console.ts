// Where a console on a data directory notes its address, so that `status` shows it. The note has no token: the address
// serves the browser that the console knows already.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import * as z from 'zod';

const FILE = 'feed-console.json';
const note = z.object({ url: z.url(), pid: z.int() });

/** @returns a function that removes the note, unless another console has replaced it */
export async function noteConsole(dataDir: string, url: string): Promise<() => Promise<void>> {
  const file = join(dataDir, FILE);
  const { origin } = new URL(url);
  await writeFile(file, JSON.stringify({ url: `${origin}/`, pid: process.pid }), { mode: 0o600 });
  return async () => {
    if ((await read(file))?.pid === process.pid) await rm(file, { force: true });
  };
}

/** @returns the address of the console that runs on this directory; null if none is known */
export async function findConsole(dataDir: string | undefined): Promise<string | null> {
  const noted = dataDir === undefined ? undefined : await read(join(dataDir, FILE));
  return noted !== undefined && isRunning(noted.pid) ? noted.url : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function read(file: string): Promise<z.infer<typeof note> | undefined> {
  try {
    return note.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
