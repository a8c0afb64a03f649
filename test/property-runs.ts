import fc from 'fast-check';

/** fast-check's default number of runs. */
const USUAL = 100;

/**
 * The number of runs of a property: `usually`, scaled by fast-check's own `numRuns` if that is configured
 * (vitest.mutation.config.ts).
 */
export function runs(usually: number): number {
  return Math.ceil((usually * (fc.readConfigureGlobal().numRuns ?? USUAL)) / USUAL);
}
