// Where `npm start` notes the address of its reference service, so that `trigger` finds it. All users may write to the
// temporary directory, so only a file of this user counts: a link there may lead anywhere.
import { constants } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** One for each user: the one that started last is found. */
function noteFile(): string {
  return join(tmpdir(), `returns-feed-start-${userInfo().username}.json`);
}

const note = z.object({ url: z.url(), pid: z.int() });

/** Notes the address. @returns a function that removes the note, unless another process has replaced it */
export async function noteRunningService(url: string): Promise<() => Promise<void>> {
  const file = noteFile();
  await rm(file, { force: true });
  // `wx` follows no link, and fails if another user was faster.
  await writeFile(file, JSON.stringify({ url, pid: process.pid }), { mode: 0o600, flag: 'wx' });
  return async () => {
    const noted = await readNote(file);
    if (noted?.pid === process.pid) await rm(file, { force: true });
  };
}

/** @returns the noted address; undefined if there is none */
export async function findRunningService(): Promise<string | undefined> {
  return (await readNote(noteFile()))?.url;
}

async function readNote(file: string): Promise<z.infer<typeof note> | undefined> {
  try {
    // Windows has no such flag, and a temporary directory for each user.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { uid } = await handle.stat();
      if (uid !== (process.getuid?.() ?? uid)) return undefined;
      return note.parse(JSON.parse(await handle.readFile('utf8')));
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
