// The operator: knows that nothing is wrong any more, sees what is still held, and releases it.
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import type { World } from './world.ts';

/** Releases what guards hold of a source, as the command `release` does. */
export async function releaseWhatIsHeld({ stores, time, trace }: World, source: string): Promise<void> {
  const state = await stores.states.load(source);
  if (state === undefined) return;
  for (const { number, guard } of standingHolds(state)) {
    const current = await stores.states.load(source);
    const release = current && releaseHold(current, number, time.now());
    if (release?.outcome !== 'released') continue;
    trace.note('operator', `releases ${guard}`);
    trace.count(`released ${guard}`);
    const { version } = release.state;
    await stores.states.save({ ...release.state, version: version + 1 }, version);
  }
}
