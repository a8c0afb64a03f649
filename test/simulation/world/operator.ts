// The operator, who releases what is held, like the command.
import { saveRelease } from '../../../local/operating/save-release.ts';
import { factsOf } from '../source-facts.ts';
import type { World } from './world.ts';

/** @returns whether anything was released */
export async function releaseWhatIsHeld({ stores, time, trace }: World, source: string): Promise<boolean> {
  const state = await stores.states.load(source);
  const held = state === undefined ? [] : factsOf(state).holds.filter(({ stands }) => stands);
  let isAnyReleased = false;
  for (const { number, kind } of held) {
    const { release } = await saveRelease(stores.states, source, number, time.now());
    if (release.outcome !== 'released') continue;
    isAnyReleased = true;
    trace.note('operator', `releases ${kind}`);
    trace.count(`released ${kind}`);
  }
  return isAnyReleased;
}
