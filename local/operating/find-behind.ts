// How many return groups stopped at an event that a destination rejects.
import { type BehindGroup, listBehind } from '../../functions/adapters/dynamodb-behind.ts';
import type { OpenFeed } from './open-feed.ts';

export interface BehindGroups {
  readonly groups: readonly BehindGroup[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** Groups that are read of one destination. */
const MOST = 100;

/** The groups that are behind at a destination, at most a hundred. */
export async function findBehind(
  { client, marksTable }: Pick<OpenFeed, 'client' | 'marksTable'>,
  mark: string,
): Promise<BehindGroups> {
  const groups: BehindGroup[] = [];
  for await (const group of listBehind(client, marksTable, mark)) {
    if (groups.length === MOST) return { groups, isCut: true };
    groups.push(group);
  }
  return { groups, isCut: false };
}
