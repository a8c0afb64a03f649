// Notices that the data directory was deleted or moved under a running feed, which would go on saving into files that no
// later start finds.
import { stat } from 'node:fs/promises';
import { filesOf } from '../store/data-directory.ts';
import { StoreError } from '../store/store-error.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Looks from time to time, by path: opening the database's file here would drop SQLite's locks.
 *
 * @param onLost called once
 * @returns ends it
 */
export async function watchDirectory(
  directory: string,
  onLost: (error: StoreError) => void,
): Promise<() => void> {
  const { database } = filesOf(directory);
  const { dev, ino } = await stat(database);
  const look = async () => {
    const now = await stat(database).catch(() => undefined);
    if (now?.dev === dev && now.ino === ino) return;
    clearInterval(timer);
    onLost(
      new StoreError(
        `The data directory ${directory} was deleted or moved. If it was moved, start again with its new path.`,
      ),
    );
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
