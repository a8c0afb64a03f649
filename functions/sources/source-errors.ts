// How adding and changing sources can fail. Messages are for people and safe to log: none holds a token.

/** The base class: catching it catches every refusal. Failures of AWS pass through as the SDK's own errors. */
export abstract class SourceError extends Error {}

/** Thrown for settings, names, tokens and budgets that can't be used; nothing was written. */
export class InvalidSourceError extends SourceError {
  override readonly name = 'InvalidSourceError';
}

/** Thrown when the one request of a try got no usable answer; nothing was written. The cause is the request's error. */
export class UnreadableSourceError extends SourceError {
  override readonly name = 'UnreadableSourceError';
}

/** Thrown for a name that no entry has. */
export class UnknownSourceError extends SourceError {
  override readonly name = 'UnknownSourceError';
}

/** Thrown for a source that the stack declares: only the stack may change or remove it. */
export class StackSourceError extends SourceError {
  override readonly name = 'StackSourceError';
}

/** Thrown when another writer changed the entry at the same moment; the same call may succeed now. */
export class SourceConflictError extends SourceError {
  override readonly name = 'SourceConflictError';
}

export interface SourceProblem {
  /** Of the source in the given list. */
  readonly index: number;
  readonly error: SourceError;
}

/** Thrown when some of many sources are refused; none was written. */
export class SourcesRefusedError extends SourceError {
  override readonly name = 'SourcesRefusedError';
  readonly problems: readonly SourceProblem[];

  constructor(problems: readonly SourceProblem[]) {
    super(problems.map(({ error }) => error.message).join(' '));
    this.problems = problems;
  }
}
