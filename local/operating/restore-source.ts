// Starts a new generation of a source and saves it: after its tables were restored from a backup, or by force.
import type { Instant } from '../../shared/instant.ts';
import { takeLease } from '../../shared/pacing/lease.ts';
import type { SourceStates } from '../../shared/ports.ts';
import { renewState } from '../../shared/source/renew-state.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

/** As long as the longest lease of a tick: that of a `watch`. */
const LEASE_US = 65_000_000;

/**
 * Starts a new generation. One conditional write makes it and needs no lease of its own: a poller that holds the lease,
 * or saves the state in between, makes this fail.
 *
 * @param force renews a state that was never restored too
 * @returns the state as it was saved
 * @throws Error if the state was not restored, or a poller is working on it
 */
export async function restoreSource(
  states: SourceStates,
  state: SourceState,
  { force, now }: { readonly force: boolean; readonly now: Instant },
): Promise<SourceState> {
  const { source, mintedIn, version } = state;
  const place = await states.identity();
  if (mintedIn === place && !force)
    throw new Error(
      `The state of source ${source} is in the tables it was created in: nothing was restored. ` +
        'To start a new generation anyway, which publishes every return group again, add --force.',
    );
  if (takeLease(state.lease, 'sources-restore', now, LEASE_US) === undefined)
    throw new Error(`A poll of source ${source} is running: try again in a minute.`);
  const renewed = renewState(state, place, now);
  if ((await states.save(renewed, version)) === 'saved') return renewed;
  throw new Error(`Another process saved the state of source ${source} meanwhile: try again.`);
}
