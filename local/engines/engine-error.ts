/** Thrown when a local engine can't be started; the message says what to do about it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}
