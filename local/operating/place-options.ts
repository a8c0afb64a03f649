import { type Command, InvalidArgumentError } from 'commander';

/** The options that say where sources keep their state. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'the state that `watch --data` keeps, also while it runs', parseDirectory)
    .option(
      '--stack <name>',
      'a deployment, by its CloudFormation stack; or name its tables in SOURCES_TABLE …',
    );
}

/** A directory's path. An empty one, mostly a variable that is not set, would be the working directory. */
export function parseDirectory(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty: name a directory.');
  return text;
}
