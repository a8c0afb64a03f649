// Labelled texts in two columns, at most 80 columns wide.
import { printable } from './printable.ts';

const WIDTH = 80;
const LABEL_WIDTH = 16;

/** The lines of an entry: the label on the left, each text on its own lines on the right. */
export function formatEntry(label: string, texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => wrap(printable(text), WIDTH - LABEL_WIDTH));
  return lines.map(
    (line, index) => `${index === 0 ? `  ${label}`.padEnd(LABEL_WIDTH) : ' '.repeat(LABEL_WIDTH)}${line}`,
  );
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
