// Worlds whose old open groups lie close together.
import type { SourceWorld } from '../source-world.ts';
import { oldGroups, SLOW, setAll, shownOldGroups, slowWorld } from './slow-world.ts';

interface CrowdOptions {
  /** Changes the service before the feed starts. */
  readonly change?: (world: SourceWorld) => void;
  /** Whether a few later groups are open as well. */
  readonly hasLater?: boolean;
  /**
   * How many older groups there are.
   *
   * @default 100
   */
  readonly behind?: number;
}

/** A source whose only old open groups are neighbours. */
export async function crowded(
  count: number,
  options: Parameters<typeof slowWorld>[1] = SLOW,
  { change = () => {}, hasLater = false, behind = 100 }: CrowdOptions = {},
) {
  let crowd: readonly number[] = [];
  let later: readonly number[] = [];
  const { world, session } = await slowWorld((store) => {
    const old = oldGroups(store);
    setAll(store, old, false);
    crowd = old.slice(behind, behind + count);
    later = old.slice(behind + 300).filter((_, index) => index % 60 === 0);
    setAll(store, hasLater ? [...crowd, ...later] : crowd, true);
    change(store);
  }, options);
  return { world, session, crowd, later };
}

/** Old groups that are open, oldest first. */
export function openOnes(world: SourceWorld) {
  return shownOldGroups(world).filter(({ returns }) => returns.some(({ status }) => status === 'OPEN'));
}

/** Gives groups the creation of the first. */
export function createTogether(world: SourceWorld, groups: readonly number[]): void {
  let createdAt: number | undefined;
  for (const id of groups) {
    world.control.mutate(id, (draft) => {
      createdAt ??= draft.created_at;
      draft.created_at = createdAt;
    });
  }
}
