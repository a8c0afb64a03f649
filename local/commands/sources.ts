// `sources`: lists sources, adds and changes those of a running deployment, starts a new generation after a restore.
import { Command, Option } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import { counted } from '../cli/counts.ts';
import { parseCount } from '../cli/durations.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { formatSources, LISTED_STATES, listSources, type SourceFilter } from '../operating/list-sources.ts';
import { restoreSource } from '../operating/restore-source.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { createAddSourceCommand } from './sources-add.ts';
import { createChangeCommands } from './sources-change.ts';

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
  returns-feed sources list globex --state failing --stack ReturnsFeed
  returns-feed sources list --data state --json`;

const HELP = `
Examples:
  returns-feed sources list --stack ReturnsFeed
  returns-feed help sources add`;

export function createSourcesCommand(): Command {
  const command = new Command('sources')
    .description('List, add and change sources, or start one anew after a restore from a backup.')
    .addCommand(createListCommand())
    .addCommand(createAddSourceCommand());
  for (const each of createChangeCommands()) command.addCommand(each);
  return command.addCommand(createRestoreCommand()).addHelpText('after', HELP);
}

type ListFlags = PlaceFlags & Omit<SourceFilter, 'text'> & { readonly json: boolean };

function createListCommand(): Command {
  const command = new Command('list')
    .description('Show each source with its configuration and state.')
    .argument('[text]', 'only those with this text in their name or address');
  return addPlaceOptions(command)
    .addOption(new Option('--state <state>', 'only those in this state of "status"').choices(LISTED_STATES))
    .option('--limit <number>', 'how many to show', parseCount, 100)
    .option('--after <name>', 'only those behind this name')
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', ABOUT_LISTING)
    .action(list);
}

async function list(text: string | undefined, flags: ListFlags): Promise<void> {
  await withFeed(
    flags,
    async (feed) => {
      const listed = await listSources(feed, Date.now(), { ...flags, text });
      const { sources, next } = listed;
      const out = createPrinter(process.stdout);
      if (flags.json) return out.line(JSON.stringify(listed, null, 2));
      const isAll = text === undefined && flags.state === undefined && flags.after === undefined;
      await out.line(
        sources.length === 0
          ? isAll
            ? 'no source yet'
            : 'no such source'
          : formatSources(sources, feed.deployment === undefined).join('\n'),
      );
      if (next !== null)
        await out.line(`The first ${counted(sources.length, 'source')}; more: --after ${next}`);
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
