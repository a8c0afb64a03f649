// Columns of a terminal: wide letters and emoji take two, colours and combining marks none.
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** The text, with blanks after it up to so many columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)));
}

/** The text, with its end cut off if it is longer than so many columns. */
export function cutTo(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  const [start = ''] = wrapAnsi(text, columns - 1, { hard: true, wordWrap: false, trim: false }).split('\n');
  return `${start}…`;
}

export function wrapWords(text: string, width: number): string[] {
  return wrap(text.split(' '), width);
}

/**
 * Lines of whole words, which may hold blanks; only a word that is longer than a line gets a longer one.
 *
 * @param firstWidth of the first line, which stays empty if no word fits a narrower one
 */
export function wrap(words: readonly string[], width: number, firstWidth = width): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (stringWidth(longer) <= (lines.length > 1 ? width : firstWidth)) lines.splice(-1, 1, longer);
    else if (last === undefined && firstWidth < width) lines.push('', word);
    else lines.push(word);
  }
  return lines;
}
