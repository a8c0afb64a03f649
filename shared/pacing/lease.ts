// One poller per source at a time. The lease only avoids double work: two pollers at once would do no harm, because
// each save is conditioned on the state it was computed from. The epoch shows whether another process read in between:
// to a warm process, and to one that must not save if another has taken over.
import type { Instant } from '../instant.ts';
import type { Lease } from '../source/source-state.ts';

/** An unowned lease: always expired. */
export const NO_LEASE: Lease = { owner: '', epoch: 0, expiresAt: 0 };

/**
 * @param now the tick's slot, as an instant
 * @param durationUs how long the lease lasts, in the unit of Instant
 * @returns the lease for `owner`, or undefined while another one holds it
 */
export function takeLease(lease: Lease, owner: string, now: Instant, durationUs: number): Lease | undefined {
  const isHeld = lease.owner !== owner && lease.expiresAt > now;
  // A lease that ends more than two durations ahead comes from a wrong clock.
  const isAbsurd = lease.expiresAt > now + 2 * durationUs;
  if (isHeld && !isAbsurd) return undefined;
  const epoch = lease.owner === owner ? lease.epoch : lease.epoch + 1;
  return { owner, epoch, expiresAt: now + durationUs };
}

/** The released lease; it keeps the owner's name, so that the owner recognizes it next time. */
export function releaseLease(lease: Lease): Lease {
  return { ...lease, expiresAt: 0 };
}
