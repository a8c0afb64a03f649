// `sources`: which sources there are; another one for a running deployment; a new generation after a restore.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import { createPrinter } from '../cli/print.ts';
import { formatSources } from '../operating/format-sources.ts';
import { listAllSources } from '../operating/list-sources.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { withStates } from '../operating/open-states.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { restoreSource } from '../operating/restore-source.ts';
import { createAddSourceCommand, createRemoveSourceCommand } from './sources-add.ts';

const ABOUT_RESTORING = `
Tables that were restored from a backup hold the state of a moment that is past: going on from
there would give numbers, and so ids, to events anew. So the feed stands still in tables that its
state was not minted in, until this command begins a new generation: numbers start at 1 under ids
that never were, and the next ticks announce every return group anew, as created. Subscribers
that go by data.generation and data.sequence take that as newer than all before.`;

export function createSourcesCommand(): Command {
  return new Command('sources')
    .description('List sources, add one to a deployment, or go on after a restore from a backup.')
    .addCommand(createListCommand())
    .addCommand(createAddSourceCommand())
    .addCommand(createRemoveSourceCommand())
    .addCommand(createRestoreCommand());
}

function createListCommand(): Command {
  return addPlaceOptions(new Command('list').description('Show the sources, and how each is configured.'))
    .option('--json', 'one JSON object', false)
    .action(list);
}

async function list({ json, ...place }: PlaceFlags & { readonly json: boolean }): Promise<void> {
  await withStates(place, async (open) => {
    const sources = await listAllSources(open, Date.now());
    const out = createPrinter(process.stdout);
    if (json) return out.line(JSON.stringify({ sources }, null, 2));
    await out.line(sources.length === 0 ? 'no source yet' : formatSources(sources, open.isLocal).join('\n'));
  });
}

function createRestoreCommand(): Command {
  const command = new Command('restore')
    .description('Begin a new generation, after tables were restored from a backup.')
    .argument('<source>', 'the name of the source')
    .option('--force', 'although nothing was restored: every group is announced anew', false);
  return addPlaceOptions(command).addHelpText('after', ABOUT_RESTORING).action(restore);
}

async function restore(
  source: string,
  { force, ...place }: PlaceFlags & { readonly force: boolean },
): Promise<void> {
  await withStates(place, async (open) => {
    const before = await open.stateOf(source);
    const now = Date.now() * MILLISECOND;
    const { generation } = await restoreSource(open.states, before, { force, now });
    await createPrinter(process.stdout).line(
      `restored: source ${source} goes on in generation ${generation} (it was ${before.generation}). Its next ` +
        'ticks announce every return group anew.',
    );
  });
}
