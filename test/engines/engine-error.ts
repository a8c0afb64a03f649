/** Thrown when a local engine can't be started or used; the message says why. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/** The system's code of an error, such as `ENOENT`; undefined if it has none. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
