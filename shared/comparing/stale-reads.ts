// The one rule on stale reads. Replicas and caches may answer with an older state than one already seen. So a reading
// that differs is accepted only if it has a newer stamp, or if it was requested so long after the last one that no read
// can be that stale (`settle`).
import type { Instant } from '../instant.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** Whether a reading that differs from the snapshot is accepted. */
export function isNews(
  reading: Pick<Reading, 'updatedAt' | 'sentAt'>,
  snapshot: Pick<Snapshot, 'updatedAt' | 'receivedAt'>,
  settle: number,
): boolean {
  return reading.updatedAt > snapshot.updatedAt || isSettled(reading.sentAt, snapshot.receivedAt, settle);
}

/** Whether a read sent at `sentAt` can't be too stale to contradict one received at `receivedAt`. */
export function isSettled(sentAt: Instant, receivedAt: Instant, settle: number): boolean {
  return sentAt >= receivedAt + settle;
}

/** A reading without a readable `updated_at` has the known one: it is neither newer nor older. */
export function withStamp(reading: Reading, snapshot: Snapshot | undefined): Reading {
  const isStamped = reading.projection.group.updated_at !== undefined;
  return isStamped || snapshot === undefined ? reading : { ...reading, updatedAt: snapshot.updatedAt };
}
