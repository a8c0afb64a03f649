// All commands of `returns-feed`. A command that is called is loaded alone: to load all takes longer than its start.
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('../commands/init.ts')).createInitCommand(),
  watch: async () => (await import('../commands/watch.ts')).createWatchCommand(),
  status: async () => (await import('../commands/status.ts')).createStatusCommand(),
  console: async () => (await import('../commands/console.ts')).createConsoleCommand(),
  release: async () => (await import('../commands/release.ts')).createReleaseCommand(),
  adopt: async () => (await import('../commands/release.ts')).createAdoptCommand(),
  explain: async () => (await import('../commands/explain.ts')).createExplainCommand(),
  replay: async () => (await import('../commands/replay.ts')).createReplayCommand(),
  redrive: async () => (await import('../commands/redrive.ts')).createRedriveCommand(),
  export: async () => (await import('../commands/export.ts')).createExportCommand(),
  sources: async () => (await import('../commands/sources.ts')).createSourcesCommand(),
  webhooks: async () => (await import('../commands/webhooks.ts')).createWebhooksCommand(),
  readers: async () => (await import('../commands/readers.ts')).createReadersCommand(),
  forget: async () => (await import('../commands/forget.ts')).createForgetCommand(),
  backup: async () => (await import('../commands/backup.ts')).createBackupCommand(),
  move: async () => (await import('../commands/move.ts')).createMoveCommand(),
  compact: async () => (await import('../commands/compact.ts')).createCompactCommand(),
  probe: async () => (await import('../commands/probe.ts')).createProbeCommand(),
  serve: async () => (await import('../commands/serve.ts')).createServeCommand(),
  trigger: async () => (await import('../commands/trigger.ts')).createTriggerCommand(),
  help: async () => (await import('../commands/help.ts')).createHelpCommand(),
  start: async () => (await import('../commands/start.ts')).createStartCommand(),
};

const HELP = `
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state
  returns-feed status --data state
  returns-feed explain acme 184467 --stack ReturnsFeed
"returns-feed help COMMAND" has the options and examples of a command.
If something is wrong: docs/troubleshooting.md. Glossary: docs/glossary.md. All commands: docs/cli.md.`;

/** @param called the command; all are loaded if it is another word, such as `help` or `--help` */
export async function loadProgram(called = ''): Promise<Command> {
  const isCommand = called !== 'help' && Object.hasOwn(COMMANDS, called);
  const program = new Command('returns-feed')
    .description('The webhook that a returns service never had: every change as an event.')
    .version(manifest.version)
    .helpCommand(false)
    .addHelpText('after', HELP);
  for (const name of isCommand ? [called] : Object.keys(COMMANDS)) {
    const command = await COMMANDS[name]?.();
    if (command !== undefined) program.addCommand(command);
  }
  return program;
}

/** The command, and all below it. */
export function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
