// All commands of `returns-feed`.
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { createCompletionCommand } from '../commands/completion.ts';
import { createConsoleCommand } from '../commands/console.ts';
import { createExplainCommand } from '../commands/explain.ts';
import { createExportCommand } from '../commands/export.ts';
import { createForgetCommand } from '../commands/forget.ts';
import { createHelpCommand } from '../commands/help.ts';
import { createProbeCommand } from '../commands/probe.ts';
import { createRedriveCommand } from '../commands/redrive.ts';
import { createReleaseCommand } from '../commands/release.ts';
import { createReplayCommand } from '../commands/replay.ts';
import { createServeCommand } from '../commands/serve.ts';
import { createSourcesCommand } from '../commands/sources.ts';
import { createStartCommand } from '../commands/start.ts';
import { createStatusCommand } from '../commands/status.ts';
import { createTriggerCommand } from '../commands/trigger.ts';
import { createWatchCommand } from '../commands/watch.ts';
import { createWebhooksCommand } from '../commands/webhooks.ts';

const HELP = `
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state
  returns-feed status --data state
  returns-feed explain acme 184467 --stack ReturnsFeed
"returns-feed help COMMAND" has the options and examples of a command.
Something is wrong: docs/troubleshooting.md. The words: docs/glossary.md. All commands: docs/cli.md.`;

export function createProgram(): Command {
  return new Command('returns-feed')
    .description('The webhook that a returns service never had: every change as an event.')
    .version(manifest.version)
    .helpCommand(false)
    .addHelpText('after', HELP)
    .addCommand(createWatchCommand())
    .addCommand(createStatusCommand())
    .addCommand(createConsoleCommand())
    .addCommand(createReleaseCommand())
    .addCommand(createExplainCommand())
    .addCommand(createReplayCommand())
    .addCommand(createRedriveCommand())
    .addCommand(createExportCommand())
    .addCommand(createSourcesCommand())
    .addCommand(createWebhooksCommand())
    .addCommand(createForgetCommand())
    .addCommand(createProbeCommand())
    .addCommand(createServeCommand())
    .addCommand(createTriggerCommand())
    .addCommand(createCompletionCommand())
    .addCommand(createHelpCommand())
    .addCommand(createStartCommand(), { hidden: true });
}

/** The command, and all below it. */
export function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
