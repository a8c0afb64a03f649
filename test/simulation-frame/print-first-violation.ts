interface Violation {
  readonly guarantee: string;
}

/**
 * Runs seeds from 1 on until one breaks a guarantee, and prints the violation as JSON.
 *
 * @param failure the code that reports a run which failed. It is not a guarantee: a bug that only makes the feed throw
 *   does not count as found.
 */
export async function printFirstViolation(
  most: number,
  failure: string,
  simulate: (seed: number) => Promise<{ readonly violations: readonly Violation[] }>,
): Promise<void> {
  for (let seed = 1; seed <= most; seed += 1) {
    const { violations } = await simulate(seed);
    const violation = violations.find(({ guarantee }) => guarantee !== failure);
    if (violation === undefined) continue;
    process.stdout.write(`${JSON.stringify({ seed, ...violation })}\n`);
    return;
  }
}
