// One poller per source at a time. The lease only saves work: two at once would do no harm, for every save is
// conditioned on what it was computed from. The epoch tells a warm process whether another one read in between.
import type { Instant } from '../instant.ts';
import type { Lease } from '../source/source-state.ts';

/** Nobody's: it is over at any time. */
export const NO_LEASE: Lease = { owner: '', epoch: 0, expiresAt: 0 };

/**
 * @param now in the time of slots
 * @returns the lease for `owner`, or undefined while another one holds it
 */
export function takeLease(lease: Lease, owner: string, now: Instant, durationUs: number): Lease | undefined {
  const isHeld = lease.owner !== owner && lease.expiresAt > now;
  // A lease from a future that no function's timeout reaches comes of a clock that was wrong.
  const isAbsurd = lease.expiresAt > now + 2 * durationUs;
  if (isHeld && !isAbsurd) return undefined;
  const epoch = lease.owner === owner ? lease.epoch : lease.epoch + 1;
  return { owner, epoch, expiresAt: now + durationUs };
}

/** The lease given back; the owner stays named, so that it knows its own when it comes again. */
export function releaseLease(lease: Lease): Lease {
  return { ...lease, expiresAt: 0 };
}
