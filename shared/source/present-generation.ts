// The generation in which the feed may number events of its own now. Numbers are sure to be free only in a state's
// present generation, and only if the state is still in the tables it was created in: an earlier generation, or a
// restored state, may have gone on elsewhere.
import type { SourceStates } from '../ports.ts';

/** Returns the present generation of a source; undefined if it has no state, or one of other tables. */
export type PresentGeneration = (source: string) => Promise<string | undefined>;

export function createPresentGeneration(states: Pick<SourceStates, 'load' | 'identity'>): PresentGeneration {
  return async (source) => {
    const [state, place] = await Promise.all([states.load(source), states.identity()]);
    return state?.mintedIn === place ? state.generation : undefined;
  };
}
