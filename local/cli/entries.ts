// Labelled texts in two columns, and commands to copy, within a width.
import { printable } from './printable.ts';
import { padTo, wrap, wrapWords } from './wrap.ts';

const LABEL_WIDTH = 16;
const COMMAND_INDENT = '    ';
const FURTHER_INDENT = '  ';

/** Where nothing else is known. */
const USUAL_WIDTH = 80;

/** The lines of an entry: the label on the left, or above if it is too long, each text on its own lines on the right. */
export function formatEntry(label: string, texts: readonly string[], width = USUAL_WIDTH): string[] {
  const lines = texts.flatMap((text) => wrapWords(printable(text), width - LABEL_WIDTH));
  const start = padTo(`  ${label}`, LABEL_WIDTH);
  const indent = ' '.repeat(LABEL_WIDTH);
  if (!start.endsWith(' ')) return [start, ...lines.map((line) => indent + line)];
  return lines.map((line, index) => (index === 0 ? start : indent) + line);
}

/** A command that a shell reads as it is printed: a backslash ends each line that another one continues. */
export function formatCommand(command: string, width: number): string[] {
  const words = printable(command).match(SHELL_WORD) ?? [];
  const lines = wrap(words, width - COMMAND_INDENT.length - FURTHER_INDENT.length - ' \\'.length);
  return lines.map(
    (line, index) =>
      `${COMMAND_INDENT}${index === 0 ? '' : FURTHER_INDENT}${line}${index < lines.length - 1 ? ' \\' : ''}`,
  );
}

/** A word with quoted parts, which may hold blanks. */
const SHELL_WORD = /(?:'[^']*'|[^\s'])+/g;
