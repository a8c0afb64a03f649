// `forget`: erases a return group's data and keeps only its numbers.
import { Command } from 'commander';
import type { DestinationLabels } from '../../shared/deployment/destinations.ts';
import { type Forgotten, forgetReturnGroup } from '../../shared/forget-return-group.ts';
import type { Log } from '../../shared/ports.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { parseGroupId } from '../cli/durations.ts';
import { messageOf } from '../cli/failures.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { askService } from '../place/ask-service.ts';
import type { OpenFeed, PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';

const HELP = `
Erase the group at the service first: while the service still returns it, the next reconciliation
reads it again. The command asks the service whether it still shows the group (with --data that needs
RETURNS_API_TOKEN), then asks you. It empties the stored group and erases its events. A tombstone with the
group's id and last number remains, so that no event id is ever used twice. return_group.forgotten,
which has only the group's id, lets subscribers erase their copies. Erasing can't be undone; running the
command again is safe. At the end it lists the copies that it can't reach.
Examples:
  returns-feed forget acme 184467 --data state
  returns-feed forget acme 184467 --stack ReturnsFeed --yes`;

/** The summary at the end is the command's whole output. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function createForgetCommand(): Command {
  const command = new Command('forget')
    .description('Erase the stored data and events of a return group. Only its numbers remain.')
    .argument('<source>', 'the name of the source')
    .argument('<group>', 'the id of the return group', parseGroupId);
  return addPlaceOptions(command)
    .addOption(yesOption('erase without asking'))
    .addHelpText('after', HELP)
    .action(forget);
}

async function forget(
  source: string,
  groupId: number,
  { yes, ...place }: PlaceFlags & { readonly yes: boolean },
): Promise<void> {
  await withFeed(place, async (feed) => {
    const destinations = [...feed.destinations, ...(await feed.webhooks())];
    const state = await feed.stateOf(source);
    const name = `return group ${groupId} of source ${source}`;
    const atService = await describeAtService(feed, source, groupId);
    if (!yes) await confirm(`${atService} Erase the data and events of ${name}? This can't be undone.`);
    else if (atService !== ABSENT) await createPrinter(process.stderr).line(atService);
    const ports = { ...feed, log: SILENT };
    const marks = destinations.map(({ mark }) => mark);
    const forgotten = await forgetReturnGroup(ports, state, groupId, marks);
    const out = createPrinter(process.stdout);
    if (forgotten.length === 0) return out.line(`nothing is stored for ${name}`);
    await out.line(`forgotten: ${name}`);
    for (const each of forgotten) await out.line(summarize(each, destinations));
    await out.line(describeUnreached(feed));
  });
}

const ABSENT = 'The service does not show the return any more.';

/** Whether the next walk would read it again, in a sentence. */
async function describeAtService(feed: OpenFeed, source: string, groupId: number): Promise<string> {
  try {
    const { answer } = await askService(feed, source, groupId);
    if (answer.kind === 'absent') return ABSENT;
    return 'The service still shows the return, and the next walk reads it again: erase it there first.';
  } catch (error) {
    return `Whether the service still shows the return is not known: ${messageOf(error).replace(/\.?$/, '.')}`;
  }
}

function summarize(
  { generation, lastNumber, isPublished, erased, unsent }: Forgotten,
  destinations: readonly DestinationLabels[],
): string {
  const events = `${erased} ${erased === 1 ? 'event' : 'events'} erased`;
  const kept = lastNumber === 0 ? 'no number was used' : `a later event gets number ${lastNumber + 1}`;
  const skipped = unsent.map(({ destination, range: { from, to } }) => {
    const title = destinations.find(({ mark }) => mark === destination)?.title;
    return `; ${from === to ? from : `${from} to ${to}`} never went to ${title} (reported as skipped)`;
  });
  const published = isPublished ? `; number ${lastNumber} tells subscribers (return_group.forgotten)` : '';
  return `  generation ${generation}: ${events}${published}; ${kept}${skipped.join('')}`;
}

function describeUnreached({ deployment }: OpenFeed): string {
  if (deployment === undefined)
    return (
      'Not reached: printed or forwarded events, backups of the directory, and its -wal file until the next ' +
      'checkpoint.'
    );
  return (
    'Not reached: messages in the FIFO queues and in dead-letter queues (14 days in each), events that SNS could not ' +
    'write to a queue yet (23 days), the archive of the bus (its retention), ' +
    "the ledger's stream (24 hours), backups of the tables (35 days), and all subscribers."
  );
}
