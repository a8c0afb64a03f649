import type { Command } from 'commander';

/** The options that say where sources keep their state. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'the state that `watch --data` keeps, also while it runs')
    .option(
      '--stack <name>',
      'a deployment, by its CloudFormation stack; or name its tables in SOURCES_TABLE …',
    );
}
