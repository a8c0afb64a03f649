// How large a walk's next range may be, so that one tick finishes it: a range that is cut off is read again from its
// start.
import { FEWEST_WALK_PAGES, MAX_WALK_PAGES } from '../limits.ts';
import type { TickRun } from './tick-run.ts';

/** Share of the remaining time that a range is planned for; the rest is for requests slower than recent ones. */
const USED_SHARE = 0.8;
/** Share of the remaining time after which a range begins no other piece, and no other look-up of an open group. */
const LONGEST_SHARE = 0.9;

export interface RangeRoom {
  /** Pages that the next range may have; undefined if there is no time for one worth beginning. */
  pages(): number | undefined;
  /**
   * Whether there is time for so many further requests (1 by default). It assumes that each takes as long as those of this
   * range so far: a new process only guesses how long a page takes.
   */
  readonly hasTime: (requests?: number) => boolean;
  /** Runs a range's work and learns from it how long a page takes. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createRangeRoom(run: TickRun): RangeRoom {
  const { session } = run;
  const { clock, paces } = session;
  let isFirst = true;
  let until = Number.POSITIVE_INFINITY;
  let paceOfRange = () => 0;
  return {
    pages() {
      const pagesIn = (duration: number) => paces.walk.requestsIn(duration * USED_SHARE);
      const fewest = Math.min(FEWEST_WALK_PAGES, Math.max(Math.floor(pagesIn(run.duration) / 2), 2));
      const left = pagesIn(session.deadline - clock.elapsed());
      // A tick always tries its first range: otherwise a service that is slow for a while would stop all walks.
      const pages = isFirst ? Math.max(left, fewest) : left;
      return pages < fewest ? undefined : Math.min(pages, MAX_WALK_PAGES);
    },
    hasTime: (requests = 1) => clock.elapsed() + (requests - 1) * paceOfRange() < until,
    async during(work) {
      isFirst = false;
      const startedAt = clock.elapsed();
      until = startedAt + (session.deadline - startedAt) * LONGEST_SHARE;
      const before = run.requestsOfWalks();
      paceOfRange = () => (clock.elapsed() - startedAt) / Math.max(1, run.requestsOfWalks() - before);
      try {
        return await work();
      } finally {
        // A range takes longer than its tick only if the process was suspended.
        const took = Math.min(clock.elapsed(), session.deadline) - startedAt;
        if (took > 0) paces.walk.note(run.requestsOfWalks() - before, took);
      }
    },
  };
}
