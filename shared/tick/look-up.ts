// Look-ups of groups by their ids, of which one that fails must keep neither the others nor the walk from going on.
import type { Page } from '../reading/page.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { keepSetAside, noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/** Look-ups of one tick that may fail; then they are likely to fail as well, and the walk has to get on. */
const MOST_FAILED_LOOK_UPS = 3;

/**
 * Asks for one group by its id, or sets it aside where that fails.
 *
 * @returns undefined where there is no answer: look-ups failed too often in this tick, or this one did
 */
export async function lookUpOrSetAside(run: TickRun, groupId: number): Promise<Page | undefined> {
  const now = () => run.session.serviceClock.now().atMost;
  if (run.failedLookUps >= MOST_FAILED_LOOK_UPS) {
    run.state = keepSetAside(run.state, groupId, now());
    return undefined;
  }
  try {
    return await run.lookUp(groupId);
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    run.failedLookUps += 1;
    const reason = `the list lacks it, and its look-up by id fails (${error.message})`;
    run.state = noteSetAside(run.state, { id: groupId, reason, digest: '' }, now());
    return undefined;
  }
}

/** From another one on each time: what always fails must not keep those behind it from being looked up. */
export function startingAnywhere<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
