// The command `returns-feed`. A failure is one line on stderr. The exit code is 2 for invalid usage, 1 for a failure,
// 0 otherwise; some commands add codes of their own.
import { CommanderError } from 'commander';
import { formatFailure, UsageError } from './failures.ts';
import { endWithReader } from './print.ts';
import { loadProgram, withAllBelow } from './program.ts';

export async function main(argv: readonly string[]): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  const program = (await loadProgram(argv[2])).configureOutput({
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

/** Commander puts its suggestion after an error on a second line: join the two. Help keeps its lines. */
function oneLine(text: string): string {
  return text.startsWith('error:') ? `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n` : text;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
}
