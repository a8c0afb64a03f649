// Worlds whose old open groups lie close together.
import type { SourceWorld, SourceWorldOptions } from '../source-world.ts';
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

/** A source of which every tenth old group is open, so many in all: in pairs of one creation, or one by one. */
export async function everyTenthOpen(
  count: number,
  come: 'in pairs' | 'one by one',
  settings: SourceWorldOptions['settings'] = {},
) {
  let open: readonly number[] = [];
  const { world, session } = await slowWorld(
    (store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      open = old.filter((_, index) => index % 10 === 4).slice(0, count);
      setAll(store, open, true);
      for (let pair = 0; come === 'in pairs' && pair < open.length; pair += 2)
        createTogether(store, open.slice(pair, pair + 2));
    },
    { groups: 1_600, knobs: SLOW.knobs, settings: { reconcileMs: 60_000, ...settings } },
  );
  return { world, session, open };
}
