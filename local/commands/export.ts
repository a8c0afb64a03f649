// `export`: the present state of a source, for a consumer that starts with it.
import { Command, InvalidArgumentError } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { counted } from '../cli/counts.ts';
import { parseMoment } from '../cli/parse-moment.ts';
import { createPrinter } from '../cli/print.ts';
import { didYouMean } from '../cli/suggest.ts';
import { CSV_COLUMNS, toCsvRows } from '../operating/export-csv.ts';
import { EXPORTED_KINDS, type ExportFilter, exportGroups } from '../operating/export-groups.ts';
import { meantStatus } from '../operating/listed-statuses.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { withFeed } from '../operating/with-feed.ts';

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
Examples:
  returns-feed export acme --stack ReturnsFeed > acme.jsonl
  returns-feed export acme --data state --since 24h --type shipment --status DELIVERED --csv`;

interface ExportFlags extends PlaceFlags {
  readonly since?: ExportFilter['since'];
  readonly type?: readonly string[];
  readonly status?: readonly string[];
  readonly csv: boolean;
}

/** Printing progress for each return would take longer than reading it. */
const PROGRESS_EVERY = 100;

export function createExportCommand(): Command {
  const command = new Command('export')
    .description('Print the present state of every return of a source, as last published.')
    .argument('<source>', 'the name of the source')
    .option('--since <time>', 'only returns that were updated since: 24h, or an ISO 8601 time', parseMoment)
    .option('--type <kinds>', `only these, separated by commas: ${EXPORTED_KINDS.join(', ')}`, parseKinds)
    .option(
      '--status <statuses>',
      'only entities with one of these statuses, separated by commas',
      parseStatuses,
    )
    .option('--csv', 'print CSV instead of JSON', false);
  return addPlaceOptions(command).addHelpText('after', HELP).action(exportSource);
}

function parseKinds(text: string): readonly string[] {
  const known: readonly string[] = EXPORTED_KINDS;
  return listed(text, (kind) =>
    known.includes(kind) ? undefined : `There is no kind "${kind}".${didYouMean(kind, known)}`,
  );
}

function parseStatuses(text: string): readonly string[] {
  return listed(text, (status) => {
    const meant = meantStatus(status);
    return meant && `There is no status "${status}". Did you mean "${meant}"?`;
  });
}

function listed(text: string, problemOf: (part: string) => string | undefined): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  for (const problem of parts.map(problemOf)) if (problem) throw new InvalidArgumentError(problem);
  return parts;
}

async function exportSource(
  source: string,
  { since, type, status, csv, ...place }: ExportFlags,
): Promise<void> {
  await withFeed(place, async ({ store, stateOf }) => {
    const state = await stateOf(source);
    const [out, err] = [createPrinter(process.stdout), createPrinter(process.stderr)];
    const filter = { since, types: type, statuses: status };
    let exported = 0;
    if (csv) await out.line(CSV_COLUMNS.join(','));
    for await (const group of exportGroups(store, state, filter)) {
      const rows = csv ? toCsv(toCsvRows(group)) : JSON.stringify(group);
      if (rows !== '') await out.line(rows);
      exported += 1;
      if (exported % PROGRESS_EVERY === 0) err.status(`exported ${exported} returns`);
    }
    err.clear();
    await err.line(`exported: ${counted(exported, 'return')} of ${source}`);
    if (state.baselineAt === undefined)
      await err.line('Its baseline is under way: returns that it has not read yet are missing.');
  });
}

/** RFC 4180, without the end of the last line. */
function toCsv(rows: ReturnType<typeof toCsvRows>): string {
  return stringify(rows, { columns: CSV_COLUMNS, escape_formulas: true, eof: false });
}
