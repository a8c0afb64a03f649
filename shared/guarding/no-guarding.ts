import type { GuardingState } from '../source/source-state.ts';

/** The guards' knowledge about a source at its start, or if its state was stored before there were guards. */
export const NO_GUARDING: GuardingState = {
  holds: [],
  lastNumber: 0,
  seenWith: undefined,
  entities: { since: 0, missing: 0, removed: 0 },
  usual: undefined,
};
