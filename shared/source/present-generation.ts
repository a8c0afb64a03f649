// The generation in which the feed may number events of its own now. Only the generation that a state has in the place
// it was created in is sure to have free numbers: an earlier generation, or a restored state, may have gone on elsewhere.
import type { SourceStates } from '../ports.ts';

/** Returns the present generation of a source; undefined if its state was restored or copied from other tables. */
export type PresentGeneration = (source: string) => Promise<string | undefined>;

export function createPresentGeneration(states: Pick<SourceStates, 'load' | 'identity'>): PresentGeneration {
  return async (source) => {
    const [state, place] = await Promise.all([states.load(source), states.identity()]);
    return state?.mintedIn === place ? state.generation : undefined;
  };
}
