// Hides which SQLite is used: Node's own where it has the fix of a WAL that resets (3.51.3), otherwise the package with
// the same API. What holds for both: positional parameters only, `0` and `1` for booleans, never `undefined`. The
// database must be held while its statements are used.
import { createRequire } from 'node:module';

export type Value = null | number | string | Uint8Array;
export type Row = Record<string, Value>;

export interface Statement {
  run(...values: Value[]): { readonly changes: number | bigint };
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Library {
  readonly DatabaseSync: new (
    file: string,
    options?: { readonly timeout?: number; readonly readOnly?: boolean },
  ) => Database;
}

const NODES_OWN = 'node:sqlite';
const PACKAGE = '@photostructure/sqlite';
const OLDEST = [3, 51, 3];

let library: Library | undefined;

/**
 * @param timeoutMs how long a call waits, and blocks the process, while another process holds the database
 * @throws Error with SQLite's `errcode` if the file can't be opened
 */
export function openDatabase(file: string, timeoutMs: number, readOnly = false): Database {
  library ??= isNewEnough(process.versions.sqlite) ? loadNodesOwn() : loadPackage();
  return new library.DatabaseSync(file, { timeout: timeoutMs, readOnly });
}

/** The primary result code of an error of SQLite, see sqlite.org/rescode.html; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function isNewEnough(version = '0'): boolean {
  const parts = version.split('.').map(Number);
  const at = OLDEST.findIndex((least, index) => parts[index] !== least);
  return at === -1 || Number(parts[at]) > Number(OLDEST[at]);
}

/** Node prints a warning when its SQLite is loaded first. */
function loadNodesOwn(): Library {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return (process as unknown as { getBuiltinModule(name: string): Library }).getBuiltinModule(NODES_OWN);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function loadPackage(): Library {
  try {
    return createRequire(import.meta.url)(PACKAGE) as Library;
  } catch (cause) {
    throw new Error(
      `This Node (${process.version}) has no SQLite that is safe to use, and ${PACKAGE} is not installed: use Node ` +
        '22.23, 24.21 or later, or run npm ci without --omit=optional.',
      { cause },
    );
  }
}
