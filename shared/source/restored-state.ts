/** Begins the place (`mintedIn`) of a state that `move` has left behind; the identity of the new place follows. */
const MOVED = 'moved to ';

/** The place of a state that was moved: no poll goes on with it. @param place the identity of where it is now */
export function movedTo(place: string): string {
  return MOVED + place;
}

export function isMoved({ mintedIn }: { readonly mintedIn: string }): boolean {
  return mintedIn.startsWith(MOVED);
}

/**
 * Thrown when a source's state is in other tables than those it was created in: in a restore or a copy, or where it was
 * before it was moved. Continuing would use the numbers of old events for new ones.
 */
export class RestoredStateError extends Error {
  override readonly name = 'RestoredStateError';

  /**
   * @param place the options that name the place of the state, for instance ` --stack ReturnsFeed`
   * @param state undefined if it is not known
   */
  constructor(source: string, place = '', state?: { readonly mintedIn: string }) {
    super(
      state !== undefined && isMoved(state)
        ? `Source ${source} was moved with "returns-feed move": it is polled where it is now. Take it out here.`
        : `The state of source ${source} was restored or copied from other tables. ` +
            `Run "npx --no returns-feed sources restore ${source}${place}" to begin a new generation.`,
    );
  }
}
