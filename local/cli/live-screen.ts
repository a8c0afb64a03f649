// Redraws a text in place on a terminal, on the screen that programs such as editors use: what stood there before
// comes back at the end.
import type { WriteStream } from 'node:tty';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export function openLiveScreen(stream: Pick<WriteStream, 'write' | 'rows'>) {
  stream.write(ENTER);
  return {
    draw(lines: readonly string[]): void {
      const rows = stream.rows || 24;
      const isCut = lines.length > rows;
      const shown = isCut ? lines.slice(0, rows - 1) : lines;
      const more = isCut ? [`… ${lines.length - shown.length} more lines: make the window higher`] : [];
      // No line feed after the last line: it would scroll.
      const text = [...shown, ...more].map((line) => line + CLEAR_LINE).join('\r\n');
      stream.write(HOME + text + CLEAR_BELOW);
    },
    /** Shows what stood there before. */
    end(): void {
      stream.write(LEAVE);
    },
  };
}
