// The return groups that stopped at an event that a destination rejects.
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import type { OpenFeed } from './open-feed.ts';

export type BehindGroups = Awaited<ReturnType<typeof findBehind>>;

/** Groups that are read of one destination. */
const MOST = 100;

/**
 * The groups that are behind at a destination, at most a hundred, and whether there are more.
 *
 * @param source only this source's
 */
export async function findBehind({ lists }: Pick<OpenFeed, 'lists'>, mark: string, source?: string) {
  const groups: BehindGroup[] = [];
  for await (const group of lists.behind(mark, source)) {
    if (groups.length === MOST) return { groups, isCut: true };
    groups.push(group);
  }
  return { groups, isCut: false };
}
