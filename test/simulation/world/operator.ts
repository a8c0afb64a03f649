// The operator. Releases the holds of real changes, like the command.
import { saveRelease } from '../../../local/operating/save-release.ts';
import type { Hold } from '../../../shared/guarding/guarding-state.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import type { Instant } from '../../../shared/instant.ts';
import type { SourceStates } from '../../../shared/ports.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { onStateSaved } from './watch-saves.ts';
import type { World } from './world.ts';

/** @returns whether there was a hold to release */
export async function releaseWhatIsHeld({ stores, time, trace }: World, source: string): Promise<boolean> {
  const state = await stores.states.load(source);
  const held = state === undefined ? [] : standingHolds(state);
  for (const { number, guard } of held) {
    const { release } = await saveRelease(stores.states, source, number, time.now());
    if (release.outcome !== 'released') continue;
    trace.note('operator', `releases ${guard}`);
    trace.count(`released ${guard}`);
    await releaseOthers(stores.states, source, number, time.now());
  }
  return held.length > 0;
}

/** Releases the same hold again, and one that never was: neither may change anything. */
async function releaseOthers(
  states: SourceStates,
  source: string,
  number: number,
  now: Instant,
): Promise<void> {
  const before = await states.load(source);
  for (const other of [number, number + 1_000]) {
    const { release } = await saveRelease(states, source, other, now);
    if (release.outcome === 'released')
      throw new Error(`Hold ${other} was released, though only ${number} may be.`);
  }
  const after = await states.load(source);
  if (after?.version !== before?.version) throw new Error('A release without effect changed the state.');
}

/** When a source had holds, or released changes that were not all published. */
export interface HeldTime {
  readonly source: string;
  readonly from: Instant;
  /** Infinite if it had some at the end of the run. */
  to: Instant;
  /** Whether the operator released any of them. */
  isReleased: boolean;
}

/** Counts the holds, and those that end without a release. @returns the times with holds */
export function watchHolds({ stores, trace, time }: World): readonly HeldTime[] {
  const times: HeldTime[] = [];
  const known = new Map<string, SourceState>();
  onStateSaved(stores, (state) => {
    const before = known.get(state.source);
    known.set(state.source, state);
    noteHeld(times, state, time.now());
    const holds = standingHolds(state);
    const earlier = before === undefined ? [] : standingHolds(before);
    for (const hold of holds) if (!earlier.some(isSame(hold))) trace.count(`guard ${hold.guard}`);
    const now = state.guarding.holds;
    for (const hold of earlier) if (!now.some(isSame(hold))) trace.count(`mended ${hold.guard}`);
  });
  return times;
}

function noteHeld(times: HeldTime[], { source, guarding }: SourceState, now: Instant): void {
  const open = times.find((held) => held.source === source && held.to === Number.POSITIVE_INFINITY);
  const isHeld = guarding.holds.length > 0;
  const isReleased = guarding.holds.some(({ releasedAt }) => releasedAt !== undefined);
  if (isHeld && open === undefined)
    times.push({ source, from: now, to: Number.POSITIVE_INFINITY, isReleased });
  if (open !== undefined) open.isReleased ||= isReleased;
  if (!isHeld && open !== undefined) open.to = now;
}

/** A hold that grew has another number. */
function isSame({ guard, since }: Hold): (other: Hold) => boolean {
  return (other) => other.guard === guard && other.since === since;
}
