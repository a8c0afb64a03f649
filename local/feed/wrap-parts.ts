/** An unbreakable piece of a line, with and without colours. */
export interface Part {
  readonly plain: string;
  readonly styled: string;
}

/**
 * The parts as a line, continued on further lines as needed. A part longer than a line is cut.
 *
 * @param width columns of the terminal
 * @param used columns of the first line that are already used
 * @param indent columns before each further line
 */
export function wrapParts(parts: readonly Part[], width: number, used: number, indent: number): string {
  let text = '';
  let column = used;
  let isEmpty = true;
  for (const [index, { plain, styled }] of parts.entries()) {
    const comma = index < parts.length - 1 ? ',' : '';
    const needed = (isEmpty ? 0 : 1) + plain.length + comma.length;
    if (column + needed <= width) {
      text += `${isEmpty ? '' : ' '}${styled}${comma}`;
      column += needed;
    } else {
      const room = width - indent - comma.length;
      const isLong = plain.length > room;
      text += `\n${' '.repeat(indent)}${isLong ? cutTo(plain, room) : styled}${comma}`;
      column = indent + Math.min(plain.length, room) + comma.length;
    }
    isEmpty = false;
  }
  return text;
}

/** The text, with its end cut off if it is longer than so many columns. */
export function cutTo(text: string, columns: number): string {
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}
