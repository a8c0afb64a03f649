// Gathers the changes without a newer stamp that a walk or a sweep finds, and counts them against all groups compared.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { type Differing, isUsual } from './judge-changes.ts';
import {
  type ComparedReading,
  hasEvents,
  isFirstSight,
  isUnstamped,
  type ReadingGuard,
} from './reading-guard.ts';

export type Counted = Pick<Differing, 'compared' | 'unstamped'>;

export interface UnstampedChanges extends Required<ReadingGuard> {
  /** Groups compared so far, and those of them with such a change. */
  readonly counted: Counted;
  /** How many changes wait. */
  readonly waiting: number;
  /** Returns the waiting changes, which wait no longer. */
  takeWaiting(): readonly ComparedReading[];
  /**
   * Ends a page. Returns its changes, which wait no longer, if the page and all so far differ no more than usual.
   *
   * @param duration how long the groups had to change, in the unit of Instant
   */
  takeUsualPage(state: SourceState, duration: number, now: Instant): readonly ComparedReading[];
}

/** @param readings the guard of every reading, however it came */
export function gatherUnstamped(readings: ReadingGuard): UnstampedChanges {
  const compared = new Set<number>();
  const unstamped = new Set<number>();
  const waiting = new Map<number, ComparedReading>();
  const ofPage = new Set<number>();
  let before: Counted = { compared: 0, unstamped: 0 };
  const counted = (): Counted => ({ compared: compared.size, unstamped: unstamped.size });
  return {
    get counted() {
      return counted();
    },
    get waiting() {
      return waiting.size;
    },
    admits(each) {
      // For its notes of missing entities. Its answer does not count: this guard decides about changes without stamps.
      readings.admits(each);
      if (each.snapshot === undefined || each.snapshot.removedAt !== undefined) return true;
      const { groupId } = each.snapshot;
      if (!isFirstSight(each)) compared.add(groupId);
      if (!isUnstamped(each)) return true;
      if (compared.has(groupId)) unstamped.add(groupId);
      if (!hasEvents(each.compared)) return true;
      // The last reading of a group counts.
      waiting.set(groupId, each);
      ofPage.add(groupId);
      return false;
    },
    noteUnchanged: (groupId) => void compared.add(groupId),
    admitsRemovals: readings.admitsRemovals,
    takeWaiting() {
      const changes = [...waiting.values()];
      waiting.clear();
      return changes;
    },
    takeUsualPage({ guarding, reconciliation }, duration, now) {
      const all = counted();
      const page = {
        compared: all.compared - before.compared,
        unstamped: all.unstamped - before.unstamped,
      };
      before = all;
      const isPublishable = [page, all].every((differing) =>
        isUsual({ ...differing, duration }, guarding.usual, now, reconciliation.all.ratePerHour),
      );
      const changes = [...ofPage].flatMap((groupId) => waiting.get(groupId) ?? []);
      if (isPublishable) for (const groupId of ofPage) waiting.delete(groupId);
      ofPage.clear();
      return isPublishable ? changes : [];
    },
  };
}
