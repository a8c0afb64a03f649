// The memory of a warm process, so that polls need not load an unchanged group from the store again. The memory only
// saves reads: it holds exactly the saved readings, and each save is conditioned on the store.
import type { Instant } from '../instant.ts';

/** About 3 MB; enough, because polls read only recently updated groups. */
const MAX_GROUPS = 20_000;
/** A poll of most sources shows fewer. */
const FEWEST_GROUPS = 50;

/** How many groups each of so many sources of one process may remember. */
export function shareOfMemory(sources: number): number {
  return Math.max(FEWEST_GROUPS, Math.floor(MAX_GROUPS / sources));
}

export interface Remembered {
  /** Of the reading that was saved, or that showed nothing new; see {@link digestOf}. */
  readonly digest: string;
  /** When the request was sent that last showed everything saved of the group. */
  readonly sentAt: Instant;
  readonly updatedAt: Instant;
}

export interface Memory {
  recall(groupId: number): Remembered | undefined;
  /** Do not call it for a group with a difference that was left for a later reading, or with a missing entity. */
  remember(groupId: number, remembered: Remembered): void;
  forget(groupId: number): void;
  /** Call it when another process may have read since. */
  forgetAll(): void;
  /** The stamps of the groups it remembers. */
  updateStamps(): Iterable<Instant>;
}

/**
 * Remembers the latest groups.
 *
 * @param maxGroups how many; asked at each group, since the sources of a process share its memory
 */
export function createMemory(maxGroups: () => number = () => MAX_GROUPS): Memory {
  const groups = new Map<number, Remembered>();
  return {
    recall: (groupId) => groups.get(groupId),
    remember(groupId, remembered) {
      // A map keeps the order of insertion: the oldest entry is first.
      groups.delete(groupId);
      groups.set(groupId, remembered);
      const most = maxGroups();
      if (groups.size <= most) return;
      for (const oldest of groups.keys()) {
        groups.delete(oldest);
        if (groups.size <= most) return;
      }
    },
    forget: (groupId) => void groups.delete(groupId),
    forgetAll: () => groups.clear(),
    *updateStamps() {
      for (const { updatedAt } of groups.values()) yield updatedAt;
    },
  };
}
