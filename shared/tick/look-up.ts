// Look-ups of groups by their ids. One that fails must stop neither the others nor the walk.
import type { Page } from '../reading/page.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { noteNotLookedUp, noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/** Failed look-ups after which a tick makes no more: the others would likely fail too, and the walk must continue. */
const MOST_FAILED_LOOK_UPS = 3;

/**
 * Looks one group up by its id, or sets it aside if the look-up fails.
 *
 * @returns undefined if this look-up failed, or too many of this tick did
 */
export async function lookUpOrSetAside(run: TickRun, groupId: number): Promise<Page | undefined> {
  const now = () => run.session.serviceClock.now().atMost;
  if (run.failedLookUps >= MOST_FAILED_LOOK_UPS) {
    run.update((state) => noteNotLookedUp(state, groupId, now()));
    return undefined;
  }
  try {
    return await run.lookUpAndLearn(groupId);
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    run.failedLookUps += 1;
    const reason = `the list lacks it, and its look-up by id fails (${error.message})`;
    run.update((state) => noteSetAside(state, { id: groupId, reason, digest: '' }, now()));
    return undefined;
  }
}

/** Rotates the items to a random start: a look-up that always fails must not block those behind it. */
export function startingAnywhere<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
