/** What went wrong in a deployment. */
export interface Failures {
  /** In words, the first first. */
  readonly list: readonly string[];
  /** Resolves once there is one. */
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
