// All commands of `returns-feed`.
import { Command } from 'commander';
import { createConsoleCommand } from '../commands/console.ts';
import { createExplainCommand } from '../commands/explain.ts';
import { createExportCommand } from '../commands/export.ts';
import { createForgetCommand } from '../commands/forget.ts';
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

export function createProgram(): Command {
  return new Command('returns-feed')
    .description('The webhook that a returns service never had: every change as an event.')
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
    .addCommand(createStartCommand(), { hidden: true });
}

/** The command, and all below it. */
export function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
