/** The problems of a deployment. */
export interface Failures {
  /** The messages, oldest first. */
  readonly list: readonly string[];
  /** Resolves at the first problem. */
  readonly first: Promise<void>;
  add(problem: unknown): void;
}

export function createFailures(): Failures {
  const list: string[] = [];
  let settle = (): void => {};
  const first = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return {
    list,
    first,
    add(problem) {
      list.push(problem instanceof Error ? problem.message : String(problem));
      settle();
    },
  };
}
