// `sources pause`, `resume`, `remove`, `set` and `rotate-token`: change the sources of a deployment.
import { Command } from 'commander';
import type { Sources } from '../../functions/sources/open-sources.ts';
import { messageOf, UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import {
  addDeployedSourceOptions,
  type DeployedSourceFlags,
  deployedSettingsOf,
  neededTokenOf,
  tokenOf,
} from '../cli/source-flags.ts';
import { readGiven, SOURCES_STACK, withSources } from '../operating/deployed-sources.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

interface ChangeFlags extends DeployedSourceFlags, Pick<PlaceFlags, 'stack'> {
  readonly try: boolean;
}

export function createChangeCommands(): Command[] {
  return [
    forEach(
      'pause',
      'Stop the polls of sources, also of those that the stack declares.',
      async (sources, name) =>
        (await sources.pause(name)) ? `paused: source ${name}` : `source ${name} was paused already`,
    ),
    forEach('resume', 'Poll paused sources again, from where they ended.', async (sources, name) =>
      (await sources.resume(name)) ? `resumed: source ${name}` : `source ${name} was not paused`,
    ),
    forEach(
      'remove',
      'Stop polling added sources: delete their entries, and the tokens in them. Their state stays.',
      async (sources, name) => {
        await sources.remove(name);
        return `removed: source ${name} is no longer polled. Its stored data stays.`;
      },
    ),
    createSetCommand(),
    createRotateTokenCommand(),
  ];
}

/** A command that does one thing to each of the named sources. @param change returns what it did */
function forEach(
  command: string,
  description: string,
  change: (sources: Sources, name: string) => Promise<string>,
): Command {
  return new Command(command)
    .description(description)
    .argument('<names...>', 'the names of the sources')
    .option('--stack <name>', SOURCES_STACK)
    .addHelpText('after', `\nExample:\n  returns-feed sources ${command} globex --stack ReturnsFeed`)
    .action((names: string[], flags: ChangeFlags) =>
      withSources(flags, async (sources) => {
        const out = createPrinter(process.stdout);
        const problems: string[] = [];
        for (const name of names) {
          const done = await change(sources, name).catch(
            (error: unknown) => void problems.push(messageOf(error)),
          );
          if (typeof done === 'string') await out.line(done);
        }
        if (problems.length > 0) throw new Error(problems.join(' '));
      }),
    );
}

function createSetCommand(): Command {
  const command = new Command('set')
    .description('Change settings of an added source; what is not given stays.')
    .argument('<name>', 'the name of the source')
    .option('--base-url <url>', 'address of the service; another host needs the token again');
  return addDeployedSourceOptions(command, false)
    .option('--no-try', 'do not try a new token before it is written')
    .option('--stack <name>', SOURCES_STACK)
    .addHelpText('after', '\nExample:\n  returns-feed sources set globex --every 5m --stack ReturnsFeed')
    .action(async (name: string, flags: ChangeFlags) => {
      const changes = { baseUrl: flags.baseUrl, ...deployedSettingsOf(flags) };
      const token = tokenOf(flags, readGiven);
      if ([...Object.values(changes), token].every((each) => each === undefined))
        throw new UsageError('Give the settings to change, such as --every 5m.');
      await write(flags, name, (sources, options) => sources.set(name, { ...changes, token }, options));
    });
}

function createRotateTokenCommand(): Command {
  return new Command('rotate-token')
    .description('Replace the token of an added source, after one request with the new one.')
    .argument('<name>', 'the name of the source')
    .requiredOption('--token-file <file>', 'file with the new token (- for standard input)')
    .option('--no-try', 'do not try the token before it is written')
    .option('--stack <name>', SOURCES_STACK)
    .addHelpText(
      'after',
      '\nExample:\n  returns-feed sources rotate-token globex --token-file new.token --stack ReturnsFeed',
    )
    .action((name: string, flags: ChangeFlags) =>
      write(flags, name, (sources, options) =>
        sources.rotateToken(name, String(neededTokenOf(flags, readGiven)), options),
      ),
    );
}

async function write(
  flags: ChangeFlags,
  name: string,
  work: (sources: Sources, options: { readonly isTried: boolean }) => ReturnType<Sources['set']>,
): Promise<void> {
  const { changed } = await withSources(flags, (sources) => work(sources, { isTried: flags.try }));
  const verb = changed.length > 0 ? 'changed: source' : 'unchanged: source';
  await createPrinter(process.stdout).line(`${verb} ${name}`);
}
