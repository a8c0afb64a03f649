// Ranges of a walk whose groups had an hour to change.
import { createWalkGuard } from '../../../shared/guarding/guard-walk.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { HOUR } from '../../../shared/instant.ts';
import type { Tier } from '../../../shared/source/cycle-state.ts';
import { aState } from '../../contract/sample-states.ts';
import { guardedSource, NOW, pass } from './guarded-pages.ts';

export type WalkedSource = ReturnType<typeof inAnHour>;

/** A cycle that had an hour's changes to find. */
export function inAnHour() {
  const { reconciliation } = aState('acme');
  const all = {
    ...reconciliation.all,
    previousStartedAt: NOW - HOUR,
    compared: 0,
    unstamped: 0,
    ratePerHour: 0,
  };
  return guardedSource({ reconciliation: { ...reconciliation, all } });
}

/** Walks a range, the first `changed` groups of it changed. */
export async function walkRange(
  { run, recorder }: WalkedSource,
  tier: Tier,
  groups: readonly number[],
  changed: number,
): Promise<void> {
  const guard = createWalkGuard(run, tier, undefined);
  pass(guard, groups, changed);
  await guard.concludePage(recorder);
  await guard.conclude(recorder);
  guard.learn();
}

/** How many groups were recorded, each as often as it was. */
export const countRecorded = (done: readonly string[]) =>
  done.flatMap((each) => (each.startsWith('recorded') ? each.split(' ').slice(1).filter(Boolean) : []))
    .length;

/** Releases a hold, like an operator. */
export function released({ run }: WalkedSource, number: number): void {
  run.source.update((state) => {
    const release = releaseHold(state, number, NOW);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    return release.state;
  });
}
