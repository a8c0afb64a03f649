// Life while a mistake is held: groups among the held ones, the samples of the hold first, truly change. A change with
// a newer stamp shows its group as it is, so that the mistake affects fewer groups. A change without one adds to it. Or
// what the mistake shows becomes true.
import type { Alteration } from '../../../local/reference-service/store/changes-by-hand.ts';
import type { Part, StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { areUnstampedHeld, standingHolds } from '../../../shared/guarding/holds.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { HeldChange, Plan } from '../plan.ts';
import type { Pollers } from './pollers.ts';
import { shownOtherwise, TRUE_LONG_STATUS } from './shown-otherwise.ts';
import type { World } from './world.ts';

const LOOKS_EVERY_MS = 2_000;
/** A mistake that is not held by then is not held at all. */
const HELD_WITHIN = 90_000 * MILLISECOND;
/** The share of groups that change with a newer stamp: those that still show the mistake are then fewer than half. */
const STAMPED_SHARE = 0.65;
/** Most of the samples of one hold, so that most of them differ once the mistake is over. */
const UNSTAMPED = 7;
/** Groups that change without a stamp when the held values have become true: too few for a guard. */
const FEW = 3;
const LATER_MS = 10_000;

export interface HeldChanges {
  readonly changes: HeldChange;
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
  world.trace.count(`held groups change: ${changes}`);
  const most = groups.slice(0, Math.floor(groups.length * STAMPED_SHARE));
  switch (changes) {
    case 'with stamps':
      return alter(world, ['return_group', 'shipment'], most, otherFields);
    case 'without stamps':
      return alter(world, [], groups.slice(0, UNSTAMPED), otherFields);
    case 'most become true':
    case 'all become true':
      alter(world, ['return_line_item'], changes === 'most become true' ? most : groups, asShown(world));
      // Later than the poll that publishes what has become true.
      await world.time.sleep(world.plan.settings.intervalMs + LATER_MS);
      return alter(world, [], groups.slice(0, FEW), anotherMethod);
    case 'all become true without stamps':
      return alter(world, [], groups, asShown(world));
  }
}

/** Alters groups. @param touches the parts whose changes move stamps */
function alter(
  { service, plan }: World,
  touches: readonly Part[],
  groups: readonly number[],
  by: Change,
): void {
  const { control, store } = service;
  const usual = control.knobs().touches;
  control.setKnob('touches', touches);
  for (const id of groups) store.alter(id, (draft) => by(draft, plan));
  control.setKnob('touches', usual);
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

type Change = (draft: Parameters<Alteration>[0], plan: Plan) => void;

/**
 * Changes something that the mistake does not touch. If the mistake shows long values, also sets another long value.
 */
function otherFields(draft: Parameters<Alteration>[0], { mishap }: Plan): void {
  draft.order.tags.push(`changed ${draft.order.tags.length}`);
  for (const shipment of draft.shipments) shipment.tracking_number = `T${draft.id}`;
  if (mishap?.values === 'long') for (const item of draft.returns) item.status = TRUE_LONG_STATUS;
}

function anotherMethod(draft: Parameters<Alteration>[0]): void {
  draft.return_method = draft.return_method === 'SELF_SHIP' ? 'TRADITIONAL' : 'SELF_SHIP';
}

/** Makes what the mistake shows true. */
function asShown(world: World): Change {
  const show = shownOtherwise(world);
  return (draft) => void Object.assign(draft, show(draft as StoredGroup));
}
