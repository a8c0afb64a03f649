// Whether a stream gets colours: NO_COLOR switches them off and FORCE_COLOR on, for pipes too (https://no-color.org,
// https://force-color.org); otherwise a terminal that can show them gets them.
import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsOf(
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>> = process.env,
): Colors {
  if (NO_COLOR) return pc.createColors(false);
  if (FORCE_COLOR) return pc.createColors(FORCE_COLOR !== '0' && FORCE_COLOR !== 'false');
  return pc.createColors(isTTY === true && TERM !== 'dumb');
}
