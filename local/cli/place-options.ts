import { Command, InvalidArgumentError } from 'commander';

/** Describes `--stack`. @param others the variables that a command needs besides those of the tables */
export function describeStack(others: string): string {
  return `CloudFormation stack of the deployment; or set SOURCES_TABLE, SNAPSHOTS_TABLE, LEDGER_TABLE, MARKS_TABLE${others}`;
}

const STACK = describeStack(' …');

/** Adds the options that name the place of the sources' state. */
export function addPlaceOptions(command: Command, stack: string = STACK): Command {
  return command
    .option('--data <dir>', 'data directory of "watch --data", which may be running', parseDirectory)
    .option('--stack <name>', stack);
}

/** A directory's path. Rejects an empty one, usually an unset variable: it would mean the working directory. */
export function parseDirectory(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('The path is empty: name a directory.');
  return text;
}

export const WEBHOOKS_STACK = describeStack(' and WEBHOOKS_PATH');

/** A command about one webhook of a deployment. */
export function createWebhookCommand(name: string, description: string, help: string): Command {
  return new Command(name)
    .description(description)
    .argument('<webhook>', 'the id of the webhook')
    .option('--stack <name>', WEBHOOKS_STACK)
    .addHelpText('after', help);
}
