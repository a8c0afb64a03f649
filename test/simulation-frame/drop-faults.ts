export interface FaultyRun<Plan> {
  readonly plan: Plan;
  /** The faults that happened, by id. */
  readonly struck: readonly string[];
}

/** Drops faults from a run, by halves first: the remaining ones are needed for the violation. */
export async function dropFaults<Plan extends object>(
  current: () => FaultyRun<Plan>,
  attempt: (plan: Plan & { readonly only: readonly string[] }) => Promise<boolean>,
): Promise<void> {
  let size = Math.ceil(current().struck.length / 2);
  while (size >= 1) {
    for (let at = 0; at < current().struck.length; ) {
      const kept = current().struck.filter((_, place) => place < at || place >= at + size);
      if (!(await attempt({ ...current().plan, only: kept }))) at += size;
    }
    size = Math.floor(size / 2);
  }
}
