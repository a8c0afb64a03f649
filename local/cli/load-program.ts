// Loads the program with only the command that is called, where that saves a user's time: to load all commands takes
// longer than the start of `watch` itself. Anything else, such as help, gets the whole program.
import type { Command } from 'commander';
import { createBareProgram } from './bare-program.ts';

const ALONE: Readonly<Record<string, () => Promise<Command>>> = {
  watch: async () => (await import('../commands/watch.ts')).createWatchCommand(),
  serve: async () => (await import('../commands/serve.ts')).createServeCommand(),
  start: async () => (await import('../commands/start.ts')).createStartCommand(),
  status: async () => (await import('../commands/status.ts')).createStatusCommand(),
};

/** @param argv as `process.argv` */
export async function loadProgram([, , name = '']: readonly string[]): Promise<Command> {
  const load = Object.hasOwn(ALONE, name) ? ALONE[name] : undefined;
  if (load !== undefined) return createBareProgram().addCommand(await load());
  const { createProgram } = await import('./program.ts');
  return createProgram();
}

/** The command, and all below it. */
export function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
