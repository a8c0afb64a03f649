// Saves the end of a hold, by `release` or `adopt`, on the condition that the state is unchanged; otherwise it loads the state again and retries. So the
// release never overwrites the progress of a tick.
import { type HoldCommand, releaseHold } from '../../shared/guarding/release-hold.ts';
import type { Instant } from '../../shared/instant.ts';
import type { SourceStates } from '../../shared/ports.ts';

/** Ticks that may save in between; a state is saved a few times a minute. */
const MAX_TRIES = 20;

export type Released = Awaited<ReturnType<typeof saveRelease>>;

/**
 * @returns the release, and the saved state if the hold was released, otherwise the state as loaded
 * @throws Error if the source has no state, or other processes keep saving it
 */
export async function saveRelease(
  states: Pick<SourceStates, 'load' | 'save'>,
  source: string,
  number: number,
  now: Instant,
  command: HoldCommand = 'release',
) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await states.load(source);
    if (state === undefined) throw new Error(`There is no state of a source "${source}".`);
    const release = releaseHold(state, number, now, command);
    if (release.outcome !== 'released') return { release, state };
    const next = { ...release.state, version: state.version + 1 };
    if ((await states.save(next, state.version)) === 'saved') return { release, state: next };
  }
  throw new Error(`Other processes keep saving the state of source "${source}"; try again.`);
}
