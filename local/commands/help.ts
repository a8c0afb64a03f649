// `help`: the help of a command, also of one below another. The library's own prints the list of commands for a
// mistyped name, without a word about it.
import { Command } from 'commander';
import { UsageError } from '../cli/failures.ts';
import { didYouMean } from '../cli/suggest.ts';

export function createHelpCommand(): Command {
  return new Command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'the command, for instance: webhooks list')
    .addHelpText('after', '\nExamples:\n  returns-feed help watch\n  returns-feed help webhooks list')
    .action((names: readonly string[], _, command: Command) => {
      find(command.parent ?? command, names).outputHelp();
    });
}

function find(command: Command, [name, ...below]: readonly string[]): Command {
  if (name === undefined) return command;
  const found = command.commands.find((each) => each.name() === name);
  if (found !== undefined) return find(found, below);
  const names = command.commands.map((each) => each.name());
  throw new UsageError(
    `There is no command "${name}".${didYouMean(name, names)} Commands: ${names.join(', ')}.`,
  );
}
