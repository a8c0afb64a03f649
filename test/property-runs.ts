import fc from 'fast-check';

/** What fast-check runs unless told otherwise. */
const USUAL = 100;

/**
 * How often a property is run: as often as it says, or the share of that which a run of many runs asks for with
 * fast-check's own `numRuns` (vitest.mutation.config.ts).
 */
export function runs(usually: number): number {
  return Math.ceil((usually * (fc.readConfigureGlobal().numRuns ?? USUAL)) / USUAL);
}
