/** Thrown when a local engine can't be started or used; the message says why. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}
