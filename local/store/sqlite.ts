// The values that the stores pass to SQLite and get from it: `0` and `1` for booleans, never `undefined`, integers as numbers.

export type Value = null | number | string | Uint8Array;
export type Row = Record<string, Value>;

/** The primary result code of an error of SQLite, see sqlite.org/rescode.html; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
