// The command `returns-feed`. A failure is one line on stderr. The exit code is 2 for invalid usage, 1 for a failure,
// 0 otherwise; some commands add codes of their own.
import { Command, CommanderError } from 'commander';
import { createExplainCommand } from '../commands/explain.ts';
import { createForgetCommand } from '../commands/forget.ts';
import { createProbeCommand } from '../commands/probe.ts';
import { createRedriveCommand } from '../commands/redrive.ts';
import { createReleaseCommand } from '../commands/release.ts';
import { createReplayCommand } from '../commands/replay.ts';
import { createServeCommand } from '../commands/serve.ts';
import { createSourcesCommand } from '../commands/sources.ts';
import { createStartCommand } from '../commands/start.ts';
import { createStatusCommand } from '../commands/status.ts';
import { createWatchCommand } from '../commands/watch.ts';
import { formatFailure, UsageError } from './failures.ts';
import { endWithReader } from './print.ts';

export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  const program = new Command('returns-feed')
    .description('The webhook that a returns service never had: every change as an event.')
    .configureOutput({ writeErr: (text) => process.stderr.write(oneLine(text)) })
    .addCommand(createWatchCommand())
    .addCommand(createStatusCommand())
    .addCommand(createReleaseCommand())
    .addCommand(createExplainCommand())
    .addCommand(createReplayCommand())
    .addCommand(createRedriveCommand())
    .addCommand(createSourcesCommand())
    .addCommand(createForgetCommand())
    .addCommand(createProbeCommand())
    .addCommand(createServeCommand())
    .addCommand(createStartCommand(), { hidden: true });
  for (const command of withAllBelow(program)) command.exitOverride().copyInheritedSettings(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (!(error instanceof CommanderError)) process.stderr.write(`${formatFailure(error)}\n`);
  }
}

function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}

/** Commander puts its suggestion after an error on a second line: join the two. Help keeps its lines. */
function oneLine(text: string): string {
  return text.startsWith('error:') ? `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n` : text;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
}
