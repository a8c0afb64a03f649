// `export`: the present state of a source, for a consumer that starts with it.
import { Command } from 'commander';
import { counted } from '../cli/counts.ts';
import { addExportOptions, type ExportFlags } from '../cli/export-flags.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { CSV_HEADER, exportGroups, toCsv } from '../operating/export-groups.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';

const HELP = `
Prints each known return as it was last published, one JSON object a line:
  {"return_group": …, "updated_at": …, "entities": […], "generation": …, "sequence": …}
Deploy the subscription and wait 15 minutes before you export: then no change is missing between the
file and the events (docs/subscribing.md, "Start with the present state"). A consumer loads the lines.
For each loaded return it then drops the events whose generation is the line's and whose sequence is
not above the line's. Fields are those of events. Removed returns are left out. The command sends no
request to the service.
With --type or --status only such entities are printed, and only returns that have one. --csv prints a
row for each entity. A text that a spreadsheet would take for a formula begins with a quote (').
Control characters and line breaks are escaped there, such as \\n.
Examples:
  returns-feed export acme --stack ReturnsFeed > acme.jsonl
  returns-feed export acme --data state --since 24h --type shipment --status DELIVERED --csv`;

/** Printing progress for each return would take longer than reading it. */
const PROGRESS_EVERY = 100;

export function createExportCommand(): Command {
  const command = new Command('export')
    .description('Print the present state of every return of a source, as last published.')
    .argument('<source>', 'the name of the source')
    .option('--csv', 'print CSV instead of JSON', false);
  return addPlaceOptions(addExportOptions(command)).addHelpText('after', HELP).action(exportSource);
}

async function exportSource(
  source: string,
  { since, type, status, csv, ...place }: ExportFlags & PlaceFlags & { readonly csv: boolean },
): Promise<void> {
  await withFeed(
    place,
    async ({ store, stateOf }) => {
      const state = await stateOf(source);
      const [out, err] = [createPrinter(process.stdout), createPrinter(process.stderr)];
      const filter = { since, types: type, statuses: status };
      let exported = 0;
      if (csv) await out.line(CSV_HEADER);
      for await (const group of exportGroups(store, state, filter)) {
        const text = csv ? toCsv(group) : JSON.stringify(group);
        if (text !== '') await out.line(text);
        exported += 1;
        if (exported % PROGRESS_EVERY === 0) err.progress(`exported ${exported} returns`);
      }
      err.clear();
      await err.line(`exported: ${counted(exported, 'return')} of ${source}`);
      if (state.baselineAt === undefined)
        await err.line('Its baseline is under way: returns that it has not read yet are missing.');
    },
    'to read',
  );
}
