/**
 * Thrown when a source's state is in other tables than those it was created in: in a restore or a copy. Continuing
 * would use the numbers of old events for new ones.
 */
export class RestoredStateError extends Error {
  override readonly name = 'RestoredStateError';

  /** @param place the options that name the place of the state, for instance ` --stack ReturnsFeed` */
  constructor(source: string, place = '') {
    super(
      `The state of source ${source} was restored or copied from other tables. ` +
        `Run "npx --no returns-feed sources restore ${source}${place}" to begin a new generation.`,
    );
  }
}
