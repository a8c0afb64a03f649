// The rules on stale reads. Replicas and caches may answer with an older state than one already seen. So a reading that
// differs is accepted only if it has a newer stamp, or if its answer is so much later than the last one that no read can
// be that stale (`settle`). A stamp before the known one comes from a copy that lags, however long, or from a database
// that was restored: then only time tells.
import { HOUR, type Instant, SECOND } from '../instant.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** How long answers have to show an older stamp until it is news: no copy lags that long. */
export const OLDER_SETTLES: number = HOUR;
/** Stamps may be shown in whole seconds. */
const ROUNDED_BY = SECOND;

/** Whether a reading that differs from the snapshot, and has no older stamp, is accepted. */
export function isNews(
  reading: Pick<Reading, 'updatedAt' | 'sentAt'>,
  snapshot: Pick<Snapshot, 'updatedAt' | 'receivedAt'>,
  settle: number,
): boolean {
  return reading.updatedAt > snapshot.updatedAt || isSettled(reading.sentAt, snapshot.receivedAt, settle);
}

/** Whether a reading has a stamp before the known one. */
export function isOlder(reading: Pick<Reading, 'updatedAt'>, snapshot: Pick<Snapshot, 'updatedAt'>): boolean {
  return reading.updatedAt < snapshot.updatedAt - ROUNDED_BY;
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
