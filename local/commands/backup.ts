// `backup`: a copy of a data directory's database that is whole, also while `watch` runs.
import { Command } from 'commander';
import { parseDirectory } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { openKnownStore } from '../place/open-directory.ts';

const HELP = `
Writes a new file with everything that the feed has stored, as of one moment. Copying the files of the
directory while "watch" runs would damage the copy. To go back to a backup, stop "watch", delete
feed.db, feed.db-wal and feed.db-shm (a -wal file that stayed would damage the backup), copy the file
to feed.db, and begin a new generation of each source with "sources restore". The secret of forwarded
URLs is not in it: keep the file forward-secret yourself.
Example:
  returns-feed backup feed-2026-11-27.db --data state`;

export function createBackupCommand(): Command {
  return new Command('backup')
    .description('Write a whole copy of a data directory, which may be in use, to a new file.')
    .argument('<file>', 'the new file')
    .requiredOption('--data <dir>', 'data directory of "watch --data", which may be running', parseDirectory)
    .addHelpText('after', HELP)
    .action(backup);
}

async function backup(file: string, { data }: { readonly data: string }): Promise<void> {
  const store = await openKnownStore(data, 'to read');
  await store.backup(file).finally(store.close);
  await createPrinter(process.stdout).line(`written: ${file}`);
}
