// The memory of a warm process, so that it need not load an unchanged group from the store again. The memory only saves
// reads: it holds exactly the saved readings, and each save is conditioned on the store.
import type { Instant } from '../instant.ts';
import { digestOf } from './digest.ts';
import type { GroupProjection } from './snapshot.ts';

/** About 3 MB; enough, because polls read only recently updated groups. */
const MAX_GROUPS = 20_000;

export interface Remembered {
  readonly fingerprint: string;
  /** When the request was sent that last showed everything saved of the group. */
  readonly sentAt: Instant;
  /** Whether answers with this fingerprint show everything; false if one leaves out a known array. */
  readonly showsAll: boolean;
}

export interface Memory {
  recall(groupId: number): Remembered | undefined;
  /** Do not call it for a group with a difference that was left for a later reading, or with a missing entity. */
  remember(groupId: number, remembered: Remembered): void;
  forget(groupId: number): void;
  /** Call it when another process may have read since. */
  forgetAll(): void;
}

/** A digest of everything in a group that a comparison uses. */
export function fingerprintOf(projection: GroupProjection): string {
  return digestOf(projection);
}

/** Remembers up to `maxGroups` groups, the latest ones. */
export function createMemory(maxGroups: number = MAX_GROUPS): Memory {
  const groups = new Map<number, Remembered>();
  return {
    recall(groupId) {
      return groups.get(groupId);
    },
    remember(groupId, remembered) {
      // A map keeps the order of insertion: the oldest entry is first.
      groups.delete(groupId);
      groups.set(groupId, remembered);
      if (groups.size > maxGroups) for (const oldest of groups.keys()) return void groups.delete(oldest);
    },
    forget(groupId) {
      groups.delete(groupId);
    },
    forgetAll() {
      groups.clear();
    },
  };
}
