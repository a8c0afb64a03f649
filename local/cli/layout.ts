// The room for a command's text: the terminal's width and colours; no limit and no colours where the output is piped.
import pc from 'picocolors';
import stringWidth from 'string-width';
import { padTo } from './wrap.ts';

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

export type Colors = ReturnType<typeof pc.createColors>;

/**
 * The colours of a stream: NO_COLOR switches them off and FORCE_COLOR on, for pipes too (https://no-color.org,
 * https://force-color.org); otherwise a terminal that can show them gets them.
 */
export function colorsOf(
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>> = process.env,
): Colors {
  if (NO_COLOR) return pc.createColors(false);
  if (FORCE_COLOR) return pc.createColors(FORCE_COLOR !== '0' && FORCE_COLOR !== 'false');
  return pc.createColors(isTTY === true && TERM !== 'dumb');
}

/** The rows as lines, each column as wide as its widest text. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((text, column) => padTo(text, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
