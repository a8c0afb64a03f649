// The one rule on stale reads. Replicas and caches may answer with a state that is older than one already seen, so
// a reading that differs is only believed if the service gave it a newer stamp, or if it was asked for so long
// after the last one that no read can be that stale (DESIGN: `settle`).
import type { Instant } from '../instant.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** Whether a reading that differs from the snapshot may be taken for news. */
export function isNews(
  reading: Pick<Reading, 'updatedAt' | 'sentAt'>,
  snapshot: Pick<Snapshot, 'updatedAt' | 'receivedAt'>,
  settle: number,
): boolean {
  return reading.updatedAt > snapshot.updatedAt || isSettled(reading.sentAt, snapshot.receivedAt, settle);
}

/** Whether a read sent then can't be too stale to contradict one received at the other moment. */
export function isSettled(sentAt: Instant, receivedAt: Instant, settle: number): boolean {
  return sentAt >= receivedAt + settle;
}
