// Gathers the changes without a newer stamp that a walk or a sweep finds, and counts them against all groups compared.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { type Differing, isUsual } from './judge-changes.ts';
import {
  type ComparedReading,
  hasEvents,
  isUnstamped,
  type ReadingGuard,
  showsOnlyNewArrays,
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
  const all = createTally();
  // Not the difference from before: a page that is read again would count as unchanged.
  const ofPage = createTally();
  const waiting = new Map<number, ComparedReading>();
  const waitingOfPage = new Set<number>();
  const noteCompared = (groupId: number) => {
    all.compared.add(groupId);
    ofPage.compared.add(groupId);
  };
  return {
    get counted() {
      return countsOf(all);
    },
    get waiting() {
      return waiting.size;
    },
    admits(each) {
      // For its notes of missing entities. Its answer does not count: this guard decides about changes without a newer
      // stamp.
      readings.admits(each);
      if (each.snapshot === undefined || each.snapshot.removedAt !== undefined) return true;
      const { groupId } = each.snapshot;
      if (!showsOnlyNewArrays(each)) noteCompared(groupId);
      if (!isUnstamped(each)) return true;
      for (const { compared, unstamped } of [all, ofPage]) if (compared.has(groupId)) unstamped.add(groupId);
      if (!hasEvents(each.compared)) return true;
      // The last reading of a group counts.
      waiting.set(groupId, each);
      waitingOfPage.add(groupId);
      return false;
    },
    noteUnchanged: noteCompared,
    admitsRemovals: readings.admitsRemovals,
    takeWaiting() {
      const changes = [...waiting.values()];
      waiting.clear();
      return changes;
    },
    takeUsualPage({ guarding, reconciliation }, duration, now) {
      const isPublishable = [ofPage, all].every((tally) =>
        isUsual({ ...countsOf(tally), duration }, guarding.usual, now, reconciliation.all.ratePerHour),
      );
      const changes = [...waitingOfPage].flatMap((groupId) => waiting.get(groupId) ?? []);
      if (isPublishable) for (const groupId of waitingOfPage) waiting.delete(groupId);
      for (const ids of [ofPage.compared, ofPage.unstamped, waitingOfPage]) ids.clear();
      return isPublishable ? changes : [];
    },
  };
}

/** Ids of groups that were compared, and of those of them that differed without a newer stamp. */
interface Tally {
  readonly compared: Set<number>;
  readonly unstamped: Set<number>;
}

function createTally(): Tally {
  return { compared: new Set(), unstamped: new Set() };
}

function countsOf({ compared, unstamped }: Tally): Counted {
  return { compared: compared.size, unstamped: unstamped.size };
}
