// The operator, who ends what is held, like the commands.
import { saveRelease } from '../../../local/operating/save-release.ts';
import type { HoldCommand } from '../../../shared/guarding/release-hold.ts';
import { factsOf } from '../source-facts.ts';
import type { World } from './world.ts';

interface Options {
  /** @default 'release' */
  readonly command?: HoldCommand;
  /** @default all kinds */
  readonly kinds?: readonly string[] | undefined;
}

/** @returns whether anything was released */
export async function releaseWhatIsHeld(
  { stores, time, trace }: World,
  source: string,
  { command = 'release', kinds }: Options = {},
): Promise<boolean> {
  const state = await stores.states.load(source);
  const held = state === undefined ? [] : factsOf(state).holds.filter(({ stands }) => stands);
  let isAnyReleased = false;
  for (const { number, kind } of held) {
    if (kinds?.includes(kind) === false) continue;
    const { release } = await saveRelease(stores.states, source, number, time.now(), command);
    if (release.outcome !== 'released') continue;
    isAnyReleased = true;
    trace.note('operator', `${command}s ${kind}`);
    trace.count(`${command === 'adopt' ? 'adopted' : 'released'} ${kind}`);
  }
  return isAnyReleased;
}
