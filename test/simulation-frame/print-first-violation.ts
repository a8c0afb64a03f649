interface Violation {
  readonly guarantee: string;
}

/**
 * Runs seeds until one breaks a guarantee, and prints the violation as JSON.
 *
 * @param failure the code that reports a run which failed. It is not a guarantee: a bug that only makes the feed throw
 *   does not count as found.
 */
export async function printFirstViolation(
  seeds: Iterable<number>,
  failure: string,
  simulate: (seed: number) => Promise<{ readonly violations: readonly Violation[] }>,
): Promise<void> {
  for (const seed of seeds) {
    const { violations } = await simulate(seed);
    const violation = violations.find(({ guarantee }) => guarantee !== failure);
    if (violation === undefined) continue;
    process.stdout.write(`${JSON.stringify({ seed, ...violation })}\n`);
    return;
  }
}

/** The seeds of a command's argument: `1-500`, or single ones first, as in `37,1-500`. */
export function* readSeeds(text: string): Generator<number> {
  const seen = new Set<number>();
  for (const part of text.split(',')) {
    const [from = 0, to = from] = part.split('-').map(Number);
    for (let seed = from; seed <= to; seed += 1) {
      if (!seen.has(seed)) yield seed;
      seen.add(seed);
    }
  }
}
