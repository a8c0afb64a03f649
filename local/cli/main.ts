// The command `returns-feed`. A failure is one line on stderr. The exit code is 2 for invalid usage, 1 for a failure,
// 0 otherwise; some commands add codes of their own.
import { type Command, CommanderError } from 'commander';
import { formatFailure, UsageError } from './failures.ts';
import { endWithReader } from './print.ts';
import { loadProgram, withAllBelow } from './program.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const isEndless = argv[2] === 'watch';
  endWithReader(process.stdout, isEndless);
  endWithReader(process.stderr, isEndless);
  const program = (await loadProgram(argv[2])).configureOutput({
    writeErr: (text) => process.stderr.write(oneLine(text)),
  });
  for (const command of withAllBelow(program)) {
    command.exitOverride().copyInheritedSettings(program);
    checkRequiredLast(command);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (!(error instanceof CommanderError)) process.stderr.write(`${formatFailure(error)}\n`);
  }
}

/** Commander reports a missing option before an unknown one, which is often the same one mistyped. */
function checkRequiredLast(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.mandatory = false;
  command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing !== undefined) command.error(`error: required option '${missing.flags}' not specified`);
  });
}

/** Commander puts its suggestion after an error on a second line: join the two. Help keeps its lines. */
function oneLine(text: string): string {
  return text.startsWith('error:') ? `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n` : text;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
}
