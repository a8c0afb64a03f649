import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { COMMAND } from './run-feed.ts';

/** Whether `script` of util-linux is here, which gives a command a terminal. */
export const CAN_RUN_IN_TERMINAL = /util-linux/.test(
  spawnSync('script', ['--version']).stdout?.toString() ?? '',
);

export interface Screen {
  readonly code: number | null;
  /** Everything that was written, with colours. */
  readonly output: string;
  /** The lines that remain, without colours. */
  readonly lines: readonly string[];
}

/** Runs `returns-feed` in a terminal with so many columns, to its end. No argument may need quoting in a shell. */
export async function runInTerminal(
  args: readonly string[],
  columns: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Screen> {
  const command = `stty cols ${columns} rows 50; exec '${process.execPath}' '${COMMAND}' ${args.join(' ')}`;
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...inherited, TERM: 'xterm-256color', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, [code]] = await Promise.all([text(child.stdout), exited]);
  return { code, output, lines: linesLeft(output) };
}

/** Of an erased line, what was written after it. */
function linesLeft(output: string): string[] {
  return output.split('\n').map((line) => {
    const erased = line.lastIndexOf('\u001b[2K');
    return stripVTControlCharacters(erased === -1 ? line : line.slice(erased)).replaceAll('\r', '');
  });
}
