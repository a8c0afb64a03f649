// All commands of `returns-feed`.
import type { Command } from 'commander';
import { createBackupCommand } from '../commands/backup.ts';
import { createCompletionCommand } from '../commands/completion.ts';
import { createConsoleCommand } from '../commands/console.ts';
import { createExplainCommand } from '../commands/explain.ts';
import { createExportCommand } from '../commands/export.ts';
import { createForgetCommand } from '../commands/forget.ts';
import { createHelpCommand } from '../commands/help.ts';
import { createProbeCommand } from '../commands/probe.ts';
import { createRedriveCommand } from '../commands/redrive.ts';
import { createAdoptCommand, createReleaseCommand } from '../commands/release.ts';
import { createReplayCommand } from '../commands/replay.ts';
import { createServeCommand } from '../commands/serve.ts';
import { createSourcesCommand } from '../commands/sources.ts';
import { createStartCommand } from '../commands/start.ts';
import { createStatusCommand } from '../commands/status.ts';
import { createTriggerCommand } from '../commands/trigger.ts';
import { createWatchCommand } from '../commands/watch.ts';
import { createWebhooksCommand } from '../commands/webhooks.ts';
import { createBareProgram } from './bare-program.ts';

export function createProgram(): Command {
  return createBareProgram()
    .addCommand(createWatchCommand())
    .addCommand(createStatusCommand())
    .addCommand(createConsoleCommand())
    .addCommand(createReleaseCommand())
    .addCommand(createAdoptCommand())
    .addCommand(createExplainCommand())
    .addCommand(createReplayCommand())
    .addCommand(createRedriveCommand())
    .addCommand(createExportCommand())
    .addCommand(createSourcesCommand())
    .addCommand(createWebhooksCommand())
    .addCommand(createForgetCommand())
    .addCommand(createBackupCommand())
    .addCommand(createProbeCommand())
    .addCommand(createServeCommand())
    .addCommand(createTriggerCommand())
    .addCommand(createCompletionCommand())
    .addCommand(createHelpCommand())
    .addCommand(createStartCommand(), { hidden: true });
}
