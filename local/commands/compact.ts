// `compact`: makes the database of a data directory as small as its content.
import { Command } from 'commander';
import { parseDirectory } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { compact, inMegabytes } from '../store/compact.ts';

const HELP = `
The database keeps its size when events are deleted after 30 days, and fills the room with new ones. So
compact it only after an unusual number of events, for instance of a first reading with "--baseline
emit". About 3 KB a return stay permanently, and 2.3 KB an event for 30 days.
End "watch" first. Meanwhile the disk of the directory must have room for the content twice. An
interruption leaves the database as it was.
Example:
  returns-feed compact --data state`;

export function createCompactCommand(): Command {
  return new Command('compact')
    .description('Make the database of a data directory as small as its content.')
    .requiredOption(
      '--data <dir>',
      'data directory of "watch --data", which must not be running',
      parseDirectory,
    )
    .addHelpText('after', HELP)
    .action(compactDirectory);
}

async function compactDirectory({ data }: { readonly data: string }): Promise<void> {
  const err = createPrinter(process.stderr);
  const { before, after } = await compact(data, (written, all) =>
    err.progress(`${inMegabytes(written)} of about ${inMegabytes(all)} written`),
  );
  err.clear();
  await createPrinter(process.stdout).line(`compacted: ${inMegabytes(after)}, ${inMegabytes(before)} before`);
}
