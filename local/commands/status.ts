// `status`: prints the sources' stored states. It sends no request to the service and changes nothing.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { createPrinter } from '../cli/print.ts';
import { formatStatus } from '../operating/format-status.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { openStates } from '../operating/open-states.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { describeSource } from '../operating/source-status.ts';

interface StatusFlags extends PlaceFlags {
  readonly source?: string;
  readonly json: boolean;
}

/** Exit code: the command worked, but a source needs attention. */
const NOT_COMPLETELY_READ = 3;

const EXIT_CODES = `
Exit code: 0 all sources are well (a baseline may be under way), 3 a source is not read completely
(held, degraded, or nothing polls it), 1 the state can't be read, 2 invalid usage.`;

export function createStatusCommand(): Command {
  const command = new Command('status')
    .description('Show how far each source is read, what is held, and what to do about it.')
    .option('--source <name>', 'show only this source');
  return addPlaceOptions(command)
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', EXIT_CODES)
    .action(status);
}

async function status({ source, json, ...place }: StatusFlags): Promise<void> {
  const open = await openStates(place);
  try {
    const loaded = await Promise.all((await open.sources(source)).map((name) => open.states.load(name)));
    const states = loaded.filter((state): state is SourceState => state !== undefined);
    const now = Date.now();
    // Without permission to describe the tables, the rest of the status is still available.
    const place = await open.states.identity().catch(() => undefined);
    const sources = states.map((state) => describeSource(state, now * MILLISECOND, open.flags, place));
    const out = createPrinter(process.stdout);
    if (json) await out.line(JSON.stringify({ sources }, null, 2));
    else if (sources.length === 0) await out.line('no source yet');
    for (const [index, each] of json ? [] : sources.entries()) {
      const lines = formatStatus(each, now);
      await out.line((index === 0 ? lines : ['', ...lines]).join('\n'));
    }
    if (sources.some(({ isHealthy }) => !isHealthy)) process.exitCode = NOT_COMPLETELY_READ;
  } finally {
    await open.close();
  }
}
