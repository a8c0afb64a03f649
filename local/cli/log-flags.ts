// The options of the log, for commands that run until they are stopped.
import { type Command, Option } from 'commander';
import { LOG_LEVELS, type LogLevel } from './terminal-log.ts';

export interface LogFlags {
  readonly logLevel: LogLevel;
  readonly logFormat: 'text' | 'json';
  readonly verbose: boolean;
}

export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'log entries of this level and above on stderr')
        .choices(LOG_LEVELS)
        .default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'form of the lines on stderr')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--verbose', 'the same as --log-level debug', false);
}

export function logOptionsOf({ logLevel, logFormat, verbose }: LogFlags) {
  return { level: verbose ? 'debug' : logLevel, format: logFormat } as const;
}
