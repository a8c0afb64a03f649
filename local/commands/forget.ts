// `forget`: nothing of a return group is kept but its numbers.
import { Command } from 'commander';
import { createDynamoDbLedgerEraser } from '../../functions/adapters/dynamodb-ledger-eraser.ts';
import { type Forgotten, forgetReturnGroup } from '../../shared/forget-return-group.ts';
import type { Log } from '../../shared/ports.ts';
import { parseCount } from '../cli/durations.ts';
import { createPrinter } from '../cli/print.ts';
import { type OpenFeed, withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { addPlaceOptions } from '../operating/place-options.ts';

const WHAT_IT_DOES = `
Forget the group at the service first: as long as that shows it, the next reconciliation reads it
anew. What is stored of it is emptied, its events are erased; what is left is a tombstone with the
group's id and last number, so that no id is ever used twice. It can't be undone, and may be done
again. What it can't reach is told at the end.`;

/** All that there is to tell is told at the end. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function createForgetCommand(): Command {
  const command = new Command('forget')
    .description('Erase what is stored of a return group, but for its numbers.')
    .argument('<source>', 'the name of the source')
    .argument('<group>', 'the id of the return group', parseCount);
  return addPlaceOptions(command).addHelpText('after', WHAT_IT_DOES).action(forget);
}

async function forget(source: string, groupId: number, place: PlaceFlags): Promise<void> {
  await withFeed(place, async (feed) => {
    const { client, deployment, clock, destinations } = feed;
    const state = await feed.stateOf(source);
    const eraser = createDynamoDbLedgerEraser({ client, tables: deployment, clock });
    const ports = { ...feed, eraser, log: SILENT };
    const forgotten = await forgetReturnGroup(ports, state, groupId, destinations);
    const out = createPrinter(process.stdout);
    const name = `return group ${groupId} of source ${source}`;
    if (forgotten.length === 0) return out.line(`nothing is stored of ${name}`);
    await out.line(`forgotten: ${name}`);
    for (const each of forgotten) await out.line(tell(each));
    await out.line(leftTo(feed));
  });
}

function tell({ generation, lastNumber, erased, unsent }: Forgotten): string {
  const events = `${erased} ${erased === 1 ? 'event' : 'events'} erased`;
  const kept =
    lastNumber === 0 ? 'no number was given out' : `what returns goes on from number ${lastNumber + 1}`;
  const skipped = unsent.map(
    ({ destination, range: { from, to } }) =>
      `; ${from === to ? from : `${from} to ${to}`} never went to the ${destination}, which is told as skipped`,
  );
  return `  generation ${generation}: ${events}; ${kept}${skipped.join('')}`;
}

function leftTo({ isLocal }: OpenFeed): string {
  if (isLocal)
    return 'Not reached: what was printed or handed on, copies of the directory, and what its file has freed and not yet used again.';
  return (
    'Not reached: messages in the FIFO queue and in dead-letter queues (14 days), the archive of the bus (its ' +
    "retention), the ledger's stream (24 hours), backups of the tables (35 days), and all subscribers."
  );
}
