// What a warm process remembers of groups, so that one that has not changed is not loaded from the store again. It
// only ever spares a read: what is remembered is exactly what was saved, and a save is conditioned on the store.
import type { Instant } from '../instant.ts';
import { digestOf } from './digest.ts';
import type { GroupProjection } from './snapshot.ts';

/** About 3 MB; polls look at the lately updated alone. */
const MAX_GROUPS = 20_000;

interface Remembered {
  readonly fingerprint: string;
  /** When the request was sent that last showed all that was saved of it. */
  readonly sentAt: Instant;
  /** Whether answers of this fingerprint show all that. Not so where one leaves out an array that is known. */
  readonly showsAll: boolean;
}

export interface Memory {
  recall(groupId: number): Remembered | undefined;
  /** Never for a group with anything deferred or missing. */
  remember(groupId: number, remembered: Remembered): void;
  forget(groupId: number): void;
  /** When another process may have read since. */
  forgetAll(): void;
}

/** Of everything of a group that a comparison looks at. */
export function fingerprintOf(projection: GroupProjection): string {
  return digestOf(projection);
}

/** Remembers the groups that were asked for last. */
export function createMemory(maxGroups: number = MAX_GROUPS): Memory {
  const groups = new Map<number, Remembered>();
  return {
    recall(groupId) {
      return groups.get(groupId);
    },
    remember(groupId, remembered) {
      // A map keeps the order of insertion: what was remembered longest ago is first.
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
