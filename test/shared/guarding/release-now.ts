import { type Release, releaseHold } from '../../../shared/guarding/release-hold.ts';
import type { SourceWorld } from '../source-world.ts';

/** Releases a hold in the same way as the command. */
export async function releaseNow(world: SourceWorld, number: number): Promise<Release['outcome']> {
  const state = await world.state();
  const release = releaseHold(state, number, world.time.now());
  if (release.outcome === 'released') {
    await world.states.save({ ...release.state, version: state.version + 1 }, state.version);
  }
  return release.outcome;
}
