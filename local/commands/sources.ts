// `sources`: lists sources, adds and removes one in a running deployment, starts a new generation after a restore.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { formatSources, listAllSources } from '../operating/list-sources.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { restoreSource } from '../operating/restore-source.ts';
import { withFeed } from '../operating/with-feed.ts';
import { createAddSourceCommand, createRemoveSourceCommand } from './sources-add.ts';

const ABOUT_RESTORING = `
Tables restored from a backup hold an earlier state. A feed that continued from it would use event
numbers twice, and so event ids. So the feed stops in restored tables, until this command starts a new
generation. Its numbers start at 1 under new ids, and the next ticks publish every return group as
created. Subscribers that compare data.generation and data.sequence treat these events as newer than
all earlier ones.
The same holds for a data directory whose feed.db is a copy or a backup: "watch" stops until then.
It does not notice an older copy of the whole directory that was written over it: add --force.
Examples:
  returns-feed sources restore acme --stack ReturnsFeed
  returns-feed sources restore acme --data state`;

const ABOUT_LISTING = `
Examples:
  returns-feed sources list --stack ReturnsFeed
  returns-feed sources list --data state --json`;

const HELP = `
Examples:
  returns-feed sources list --stack ReturnsFeed
  returns-feed help sources add`;

export function createSourcesCommand(): Command {
  return new Command('sources')
    .description('List, add and remove sources, or resume one after a restore from a backup.')
    .addCommand(createListCommand())
    .addCommand(createAddSourceCommand())
    .addCommand(createRemoveSourceCommand())
    .addCommand(createRestoreCommand())
    .addHelpText('after', HELP);
}

function createListCommand(): Command {
  return addPlaceOptions(
    new Command('list').description('Show each source with its configuration and state.'),
  )
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', ABOUT_LISTING)
    .action(list);
}

async function list({ json, ...place }: PlaceFlags & { readonly json: boolean }): Promise<void> {
  await withFeed(
    place,
    async (feed) => {
      const sources = await listAllSources(feed, Date.now());
      const out = createPrinter(process.stdout);
      if (json) return out.line(JSON.stringify({ sources }, null, 2));
      await out.line(
        sources.length === 0
          ? 'no source yet'
          : formatSources(sources, feed.deployment === undefined).join('\n'),
      );
    },
    'to read',
  );
}

function createRestoreCommand(): Command {
  const command = new Command('restore')
    .description('Start a new generation after tables were restored from a backup.')
    .argument('<source>', 'the name of the source')
    .option('--force', 'also if nothing was restored: publishes every return group again', false);
  return addPlaceOptions(command).addHelpText('after', ABOUT_RESTORING).action(restore);
}

async function restore(
  source: string,
  { force, ...place }: PlaceFlags & { readonly force: boolean },
): Promise<void> {
  await withFeed(place, async (feed) => {
    const before = await feed.stateOf(source);
    const now = Date.now() * MILLISECOND;
    const { generation } = await restoreSource(feed.states, before, { force, now });
    await createPrinter(process.stdout).line(
      `restored: source ${source} continues in generation ${generation} (it was ${before.generation}). ` +
        'Its next ticks publish every return group again.',
    );
  });
}
