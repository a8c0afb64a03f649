// The guard of a sweep. Where no more groups of a page differ than usual, it publishes the page's changes without a
// newer stamp. It leaves all others to the walk (guard-walk.ts). The walk does not find again what a sweep has
// published, so a sweep also teaches what is usual. It teaches only what it published: otherwise a fault would become
// usual before the walk could judge it.
import type { Recorder } from '../recording/record-pages.ts';
import type { Sweep } from '../source/source-session.ts';
import { type GuardedWalk, saveFirst, timeSince } from './guard-walk.ts';
import { areUnstampedHeld } from './holds.ts';
import { rateOf } from './judge-changes.ts';
import { noteRate } from './learn-usual-rate.ts';
import type { ReadingGuard } from './reading-guard.ts';
import { gatherUnstamped } from './unstamped-changes.ts';

export interface SweepGuard extends Required<ReadingGuard> {
  /** Publishes the page's changes, or drops them: the walk finds them again. */
  concludePage(recorder: Pick<Recorder, 'record'>): Promise<void>;
  /** Learns how much usually differs, from the pages that this tick read. Call it when the sweep ends. */
  learn(): void;
}

export function createSweepGuard(
  run: GuardedWalk,
  { since, unheldSince }: Pick<Sweep, 'since' | 'unheldSince'>,
): SweepGuard {
  const changes = gatherUnstamped(run.readings);
  const published = new Set<number>();
  return {
    admits: changes.admits,
    noteUnchanged: changes.noteUnchanged,
    admitsRemovals: changes.admitsRemovals,
    async concludePage(recorder) {
      const { state } = run.source;
      const page = changes.takeUsualPage(state, timeSince(run, since), run.now());
      changes.takeWaiting();
      if (page.length === 0 || areUnstampedHeld(state)) return;
      for (const { snapshot } of page) if (snapshot !== undefined) published.add(snapshot.groupId);
      await saveFirst(run.source, recorder, page);
    },
    learn() {
      const { compared } = changes.counted;
      // Changes that a hold kept back add up, as in a walk.
      const duration = timeSince(run, Math.min(since, unheldSince));
      const found = { compared, unstamped: published.size, duration };
      run.source.update((state) => noteRate(state, 'all', rateOf(found, state.guarding.usual, run.now())));
    },
  };
}
