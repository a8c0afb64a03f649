// A release as it is saved: conditionally, on the state that was looked at. Whoever saved meanwhile made another one,
// which is looked at again; so no tick's progress is lost, and none is taken back.

import { type Release, releaseHold } from '../../shared/guarding/release-hold.ts';
import type { Instant } from '../../shared/instant.ts';
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

/** Ticks that may come in between; a state is saved a few times a minute. */
const MAX_TRIES = 20;

export interface Released {
  readonly release: Release;
  /** The state that the outcome was found in, or that it made. */
  readonly state: SourceState;
}

/** @throws Error where the source has no state, or others keep saving it */
export async function saveRelease(
  states: Pick<SourceStates, 'load' | 'save'>,
  source: string,
  number: number,
  now: Instant,
): Promise<Released> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await states.load(source);
    if (state === undefined) throw new Error(`There is no state of a source "${source}".`);
    const release = releaseHold(state, number, now);
    if (release.outcome !== 'released') return { release, state };
    const next = { ...release.state, version: state.version + 1 };
    if ((await states.save(next, state.version)) === 'saved') return { release, state: next };
  }
  throw new Error(`The state of source "${source}" is being saved all the time; try again.`);
}
