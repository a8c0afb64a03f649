// The room for a command's text: the terminal's width and colours; no limit and no colours where the output is piped.
import { type Colors, colorsOf } from './colors.ts';

export interface Layout {
  /** In columns. */
  readonly width: number;
  readonly colors: Colors;
}

/** Narrower than this, columns hold hardly a word. */
const NARROWEST = 40;

export function layoutOf(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): Layout {
  const width = stream.isTTY ? Math.max(NARROWEST, stream.columns || 80) : Number.POSITIVE_INFINITY;
  return { width, colors: colorsOf(stream) };
}
