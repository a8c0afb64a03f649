import type { Command } from 'commander';
import { describeStack } from './place-options.ts';

/** Adds the option that names the deployment, and the argument that names one of its webhooks. */
export function addWebhookOptions(command: Command, argument?: 'webhook'): Command {
  const named = argument === undefined ? command : command.argument('<webhook>', 'the id of the webhook');
  return named.option('--stack <name>', describeStack(', MARKS_TABLE and WEBHOOKS_PATH'));
}
