// The command `returns-feed`. What a command can't do it says in one line on stderr; the exit code is 2 for what was
// asked wrongly, 1 for what went wrong, 0 otherwise, unless the command has more to say with it.
import { CommanderError } from 'commander';
import { formatFailure, UsageError } from './failures.ts';
import { endWithReader } from './print.ts';
import { createProgram, withAllBelow } from './program.ts';

export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  const program = createProgram().configureOutput({
    writeErr: (text) => process.stderr.write(oneLine(text)),
  });
  for (const command of withAllBelow(program)) command.exitOverride().copyInheritedSettings(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (!(error instanceof CommanderError)) process.stderr.write(`${formatFailure(error)}\n`);
  }
}

/** Of an error commander adds what may have been meant in a line of its own. Help keeps its lines. */
function oneLine(text: string): string {
  return text.startsWith('error:') ? `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n` : text;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
}
