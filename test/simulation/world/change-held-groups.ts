// Ordinary life while a mistake is held: groups among the held ones, the samples of the hold first, truly change. A change
// with a newer stamp shows its group as it is, so that the mistake affects fewer groups. A change without one adds to it.
import { areUnstampedHeld } from '../../../shared/guarding/guard-walk.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { Pollers } from './pollers.ts';
import type { World } from './world.ts';

const LOOKS_EVERY_MS = 2_000;
/** A mistake that is not held by then is not held at all. */
const HELD_WITHIN = 90_000 * MILLISECOND;
/** So many groups are left that they are less than half. */
const STAMPED_SHARE = 0.65;
/** Most of the samples of one hold, so that most of them differ once the mistake is over. */
const UNSTAMPED = 7;

export interface HeldChanges {
  readonly changes: 'with stamps' | 'without stamps';
  /** By the elapsed time. */
  readonly until: number;
}

/** Waits until the mistake is held by all sources, then changes some of its groups. */
export async function changeWhileHeld(
  world: World,
  sources: readonly Pollers[],
  { changes, until }: HeldChanges,
): Promise<void> {
  const latest = Math.min(world.time.elapsed() + HELD_WITHIN, until);
  const sampled = await untilHeld(world, sources, latest);
  if (sampled === undefined) return;
  const others = Array.from(world.service.store.groups(), ({ id }) => id);
  const groups = [...new Set([...sampled, ...world.draws.mishap.shuffle(others)])];
  const count = changes === 'with stamps' ? Math.floor(others.length * STAMPED_SHARE) : UNSTAMPED;
  world.trace.count(`held groups change ${changes}`);
  const { control } = world.service;
  const { touches } = control.knobs();
  control.setKnob('touches', changes === 'with stamps' ? ['return_group', 'shipment'] : []);
  for (const id of groups.slice(0, count)) change(world, id);
  control.setKnob('touches', touches);
}

/** @returns the samples of all holds; undefined if a source does not hold it in time */
async function untilHeld(
  { stores, time }: World,
  sources: readonly Pollers[],
  latest: number,
): Promise<readonly number[] | undefined> {
  while (time.elapsed() < latest) {
    const states = await Promise.all(sources.map(({ source }) => stores.states.load(source)));
    if (states.every((state) => state !== undefined && areUnstampedHeld(state))) {
      const holds = states.flatMap((state) => (state === undefined ? [] : standingHolds(state)));
      return holds.flatMap(({ samples }) => samples.map(({ groupId }) => groupId));
    }
    await time.sleep(LOOKS_EVERY_MS);
  }
  return undefined;
}

/** Changes something that the mistake does not touch. */
function change({ service }: World, groupId: number): void {
  service.store.alter(groupId, (draft) => {
    draft.order.tags.push(`changed ${draft.order.tags.length}`);
    for (const shipment of draft.shipments) shipment.tracking_number = `T${groupId}`;
  });
}
