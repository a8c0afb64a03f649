// A new generation for a source, as it is saved: where its tables were restored from a backup, or where somebody who
// knows what it means asks for it.
import type { Instant } from '../../shared/instant.ts';
import { takeLease } from '../../shared/pacing/lease.ts';
import type { SourceStates } from '../../shared/ports.ts';
import { renewState } from '../../shared/source/renew-state.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

export interface RestoreOptions {
  /** Whether the state is renewed although it was never restored. */
  readonly force: boolean;
  readonly now: Instant;
}

/** More than any tick's. */
const LEASE_US = 65_000_000;

/**
 * Begins a new generation. The lease is taken with the very write that makes it, and given back with it: a poller at
 * work makes this fail, and one that comes in between makes it fail as well.
 *
 * @returns the state as it was saved
 * @throws Error where it was not restored, or somebody is at work on it
 */
export async function restoreSource(
  states: SourceStates,
  state: SourceState,
  { force, now }: RestoreOptions,
): Promise<SourceState> {
  const { source, mintedIn, version } = state;
  const place = await states.identity();
  if (mintedIn === place && !force)
    throw new Error(
      `The state of source ${source} is where it was minted: nothing was restored. To begin a new generation all ` +
        'the same, which announces every return group anew, add --force.',
    );
  if (takeLease(state.lease, 'sources-restore', now, LEASE_US) === undefined)
    throw new Error(`Source ${source} is being polled right now: try again in a minute.`);
  const renewed = renewState(state, place, now);
  if ((await states.save(renewed, version)) === 'saved') return renewed;
  throw new Error(`The state of source ${source} was saved by somebody else meanwhile: try again.`);
}
